/**
 * Which output of a cross-encoder means what: by the names of its labels, or where they have none (`LABEL_0`) by its
 * family, `"family"` in config.json. An order is never guessed: a wrong guess would turn every answer round.
 */

export interface Heads {
	/** Null: the model knows entailed and not entailed only. */
	nli: { entailment: number; contradiction: number | null; neutral: number }
	/** Outputs that speak of an attack; alone it is a logit. */
	injection: { bad: number[]; alone: boolean }
	reranker: { relevant: number }
}
export type ModelName = keyof Heads

export interface ModelConfig {
	id2label?: Record<string, string>
	max_position_embeddings?: number
	family?: string
}

/** Public families whose configuration often lacks names, with their outputs in order. */
const FAMILIES: Record<string, { for: ModelName; labels: string[] }> = {
	// cross-encoder/nli-deberta-v3-*
	'nli-deberta': { for: 'nli', labels: ['contradiction', 'entailment', 'neutral'] },
	// DeBERTa-v3-*-mnli-fever-anli and its kin
	'nli-mnli': { for: 'nli', labels: ['entailment', 'neutral', 'contradiction'] },
	// cross-encoder/ms-marco-*, bge-reranker-*
	'ms-marco': { for: 'reranker', labels: ['relevant'] },
	// deberta-v3-base-prompt-injection*
	'prompt-injection': { for: 'injection', labels: ['safe', 'injection'] },
	// Llama-Prompt-Guard-2-*
	'prompt-guard': { for: 'injection', labels: ['benign', 'malicious'] },
}

/** `outputs`: how many the model gives. Throws what config.json lacks. */
export function headsOf<N extends ModelName>(name: N, config: ModelConfig, outputs: number): Heads[N] {
	return READ[name](labelsOf(name, config, outputs))
}

function labelsOf(name: ModelName, { family, id2label }: ModelConfig, outputs: number): string[] {
	const fitting = Object.keys(FAMILIES).filter((one) => FAMILIES[one]!.for === name)
	const known = family !== undefined && fitting.includes(family) ? FAMILIES[family] : undefined
	if (family !== undefined && !known)
		throw new Error(`${name}/config.json: family "${family}" is not one of ${fitting.join(', ')}.`)
	const named = Object.entries(id2label ?? {})
		.sort(([a], [b]) => Number(a) - Number(b))
		.map(([, label]) => label.toLowerCase())
	const labels = known?.labels ?? named
	if (labels.length && labels.length !== outputs)
		throw new Error(`${name}: config.json has ${labels.length} labels, model.onnx gives ${outputs}.`)
	// One output needs no name.
	if (outputs > 1 && (!labels.length || labels.every((label) => /^label_\d+$/.test(label))))
		throw new Error(
			`${name}/config.json does not name its ${outputs} labels: name them in id2label, or set "family" to ${fitting.join(' or ')}.`,
		)
	return outputs === 1 ? ['only'] : labels
}

const READ: { [N in ModelName]: (labels: readonly string[]) => Heads[N] } = {
	nli(labels) {
		const at = (wanted: RegExp) => labels.findIndex((label) => wanted.test(label))
		const [entailment, contradiction, neutral] = [
			at(/^entail|^support/),
			at(/contradict|refute/),
			at(/neutral|not_entail|not entail|unsupport|not_enough/),
		]
		if (entailment! < 0 || neutral! < 0) throw unclear('nli', labels, 'entailment, neutral and contradiction')
		return {
			entailment: entailment!,
			neutral: neutral!,
			contradiction: contradiction! < 0 ? null : contradiction!,
		}
	},
	injection(labels) {
		if (labels.length === 1) return { bad: [0], alone: true }
		const bad = labels.flatMap((label, i) =>
			/inject|jailbreak|malicious|unsafe|attack/.test(label) && !/benign|not|no_/.test(label) ? [i] : [],
		)
		if (!bad.length || bad.length === labels.length) throw unclear('injection', labels, 'safe and injection')
		return { bad, alone: false }
	},
	reranker(labels) {
		if (labels.length === 1) return { relevant: 0 }
		const relevant = labels.findIndex((label) => /^(relevant|yes|true|positive)$/.test(label))
		if (relevant < 0) throw unclear('reranker', labels, 'relevant')
		return { relevant }
	},
}

const unclear = (name: ModelName, labels: readonly string[], wanted: string) =>
	new Error(
		`${name}/config.json: the labels ${labels.join(', ')} do not say which is which; expected ${wanted}.`,
	)
