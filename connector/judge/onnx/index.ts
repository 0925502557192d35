/**
 * A judge of the operator's own cross-encoders: `DIR/nli`, `DIR/injection`, `DIR/reranker`, each with tokenizer.json,
 * model.onnx and config.json (names of labels). They run in one worker thread. What no folder covers, the built-in
 * judge answers, under its own name.
 */
import { existsSync } from 'node:fs'
import { builtinJudge } from '../builtin/index.ts'
import { type Passages, passages } from '../builtin/passages.ts'
import type { PoolSettings } from '../builtin/pool.ts'
import { sigmoid, softmax } from '../learned/trees.ts'
import { read } from '../text/document.ts'
import { tokenize } from '../text/tokens.ts'
import type { ClaimVerdict, Judge } from '../types.ts'
import { openModels, type RunModel } from './client.ts'
import type { Heads } from './families.ts'

export interface OnnxSettings extends PoolSettings {
	dir: string
}

/** Passages put before a claim, joined with the sentences around them. */
const PASSAGES = 3
const WINDOW_SENTENCES = 6
const FLAGGED_FROM = 0.5
const VERDICTS = ['verified', 'contradicted', 'unsupported'] as const

const spoken = { judge: { backend: 'onnx', calibration: 'onnx-raw' } }

export async function onnxJudge(settings: OnnxSettings): Promise<Judge> {
	if (!existsSync(settings.dir)) {
		throw new Error(`The judge \`onnx\` finds no folder ${settings.dir} (GUARD_JUDGE_DIR).`)
	}
	const { heads, run, close } = await openModels(settings)
	const rest = builtinJudge(settings)
	const { nli, injection, reranker } = heads
	return {
		verify: nli ? (call, signal) => verify(run, nli, call, signal) : rest.verify,
		async screen(call, signal) {
			const base = await rest.screen(call, signal)
			return injection
				? { ...base, injection: await screen(run, injection, call.text, signal), ...spoken }
				: base
		},
		async find(call, signal) {
			if (!reranker) return rest.find(call, signal)
			const scores = await rerank(run, reranker, call.query, call.candidates, signal)
			return { scores: scores.map(sigmoid), basis: 'text', ...spoken }
		},
		async noul(call, signal) {
			if (!nli || !call.context) return rest.noul(call, signal)
			const { results } = await verify(
				run,
				nli,
				{ claims: call.propositions, evidence: [call.context] },
				signal,
			)
			const probabilities = results.map(({ verdict, confidence }) =>
				verdict === 'verified' ? confidence : (1 - confidence) / 2,
			)
			return { probabilities, basis: 'text', ...spoken }
		},
		async choice(call, signal) {
			if (!reranker) return rest.choice(call, signal)
			const query = call.context ? `${call.question}\n${call.context}` : call.question
			return {
				probabilities: softmax(await rerank(run, reranker, query, call.options, signal)),
				basis: 'text',
				...spoken,
			}
		},
		score: rest.score,
		async close() {
			await Promise.all([rest.close(), close()])
		},
	}
}

async function rerank(
	run: RunModel,
	{ relevant }: Heads['reranker'],
	query: string,
	texts: readonly string[],
	signal: AbortSignal,
): Promise<number[]> {
	const pairs = texts.map((text) => [query, text] as const)
	const scores = await run('reranker', pairs, signal)
	return scores.map((row) => row[relevant]!)
}

async function verify(
	run: RunModel,
	heads: Heads['nli'],
	{ claims, evidence }: { claims: string[]; evidence: string[] },
	signal: AbortSignal,
) {
	const index = passages(evidence)
	const asked = claims.map((claim) => premises(index, claim))
	const flat = asked.flatMap((list, i) => list.map(({ text }): [string, string] => [text, claims[i]!]))
	const scored = await entailment(run, heads, flat, signal)
	let at = 0
	const results = asked.map((list): ClaimVerdict => {
		const own = scored.slice(at, at + list.length)
		at += list.length
		return verdictOf(own, list)
	})
	return { results, basis: 'evidence' as const, ...spoken }
}

async function screen(run: RunModel, { bad, alone }: Heads['injection'], text: string, signal: AbortSignal) {
	const windows = windowsOf(text)
	const pairs = windows.map(({ start, end }) => [text.slice(start, end), null] as const)
	const scores = await run('injection', pairs, signal)
	const found = windows.map((span, i) => {
		const row = scores[i]!
		const shares = alone ? row.map(sigmoid) : softmax(row)
		return { ...span, probability: bad.reduce((sum, at) => sum + shares[at]!, 0) }
	})
	const probability = found.reduce((most, one) => Math.max(most, one.probability), 0)
	const spans = found.filter((one) => one.probability >= FLAGGED_FROM)
	return { flagged: probability >= FLAGGED_FROM, probability, spans }
}

interface Premise {
	text: string
	source: number
	start: number
	end: number
}

/** The nearest passages one by one, and all joined: a claim may rest on one sentence or on several. */
function premises(index: Passages, claim: string): Premise[] {
	const { words, stems } = tokenize(read(claim).folded.text)
	const near = index.nearest(words, stems, PASSAGES).map(({ place }) => index.list[place]!)
	if (!near.length) return []
	const one = near.map(({ source, document, sentence: { span } }) => ({
		text: document.source.slice(span.start, span.end),
		source,
		...span,
	}))
	return one.length > 1 ? [...one, { ...one[0]!, text: one.map(({ text }) => text).join(' ') }] : one
}

/** The premise that says most, for or against; silence where none does. */
function verdictOf(scored: readonly number[][], list: readonly Premise[]): ClaimVerdict {
	let best = { verdict: 2, confidence: list.length ? 0 : 1, at: -1 }
	scored.forEach((row, i) => {
		const said = row[0]! >= row[1]! ? 0 : 1
		if (row[said]! > row[2]! && row[said]! > (best.verdict === 2 ? 0 : best.confidence))
			best = { verdict: said, confidence: row[said]!, at: i }
	})
	if (best.verdict === 2 && list.length) best.confidence = Math.min(...scored.map((row) => row[2]!))
	const premise = list[best.at]
	const evidence = premise ? { source: premise.source, start: premise.start, end: premise.end } : null
	return { verdict: VERDICTS[best.verdict]!, confidence: best.confidence, evidence }
}

/** Shares of entailment, contradiction and neutrality, wherever the model keeps them. */
async function entailment(
	run: RunModel,
	heads: Heads['nli'],
	list: readonly [string, string][],
	signal: AbortSignal,
): Promise<number[][]> {
	const order = [heads.entailment, heads.contradiction, heads.neutral]
	const scores = list.length ? await run('nli', list, signal) : []
	return scores.map((row) => {
		const shares = softmax(row)
		return order.map((place) => (place === null ? 0 : shares[place]!))
	})
}

function windowsOf(text: string): { start: number; end: number }[] {
	const { sentences } = read(text)
	if (!sentences.length) return [{ start: 0, end: text.length }]
	const out: { start: number; end: number }[] = []
	for (let at = 0; at < sentences.length; at += WINDOW_SENTENCES - 1) {
		const last = Math.min(sentences.length, at + WINDOW_SENTENCES) - 1
		out.push({ start: sentences[at]!.span.start, end: sentences[last]!.span.end })
		if (last === sentences.length - 1) break
	}
	return out
}
