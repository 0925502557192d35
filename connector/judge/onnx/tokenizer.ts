/**
 * Reads a `tokenizer.json`: WordPiece (BERT), Unigram (XLM-R, DeBERTa) or byte-level BPE (RoBERTa, ModernBERT), with
 * the special tokens of its post-processor. What it does not know it refuses, rather than feed a model nonsense.
 */
import { bpe } from './bpe.ts'
import { unigram } from './unigram.ts'
import { wordPiece } from './wordpiece.ts'

export interface TokenizerFile {
	model: {
		type?: string
		vocab: Record<string, number> | [string, number][]
		merges?: (string | [string, string])[]
		unk_token?: string
		unk_id?: number
		continuing_subword_prefix?: string
	}
	normalizer?: Step | null
	pre_tokenizer?: Step | null
	post_processor?: Step | null
	added_tokens?: { id: number; content: string }[]
}
export interface Step {
	type: string
	[setting: string]: unknown
}

export interface Encoded {
	ids: number[]
	types: number[]
}

export interface Tokenizer {
	/** One text or a pair, cut to `limit` tokens: the second is cut first. */
	encode(first: string, second: string | null, limit: number): Encoded
	pad: number
}

/** Text to ids, without special tokens. */
export type Encode = (text: string) => number[]

export function readTokenizer(file: TokenizerFile): Tokenizer {
	const normalise = normaliser(file.normalizer ?? null)
	const inner = modelOf(file)
	const encode: Encode = (text) => inner(normalise(text))
	const special = new Map((file.added_tokens ?? []).map(({ content, id }) => [content, id]))
	const frame = frameOf(file.post_processor ?? null, special)
	return {
		pad: special.get('[PAD]') ?? special.get('<pad>') ?? 0,
		encode(first, second, limit) {
			const a = encode(first)
			const b = second === null ? [] : encode(second)
			const room = Math.max(2, limit - specials(second === null ? frame.single : frame.pair))
			const keepA = Math.min(
				a.length,
				second === null ? room : Math.max(room - b.length, Math.ceil(room / 2)),
			)
			const keepB = Math.min(b.length, room - keepA)
			return fill(second === null ? frame.single : frame.pair, a.slice(0, keepA), b.slice(0, keepB))
		},
	}
}

function modelOf(file: TokenizerFile): Encode {
	const { model } = file
	const steps = stepsOf(file.pre_tokenizer ?? null)
	if (model.type === 'WordPiece' || model.continuing_subword_prefix !== undefined) return wordPiece(model)
	if (model.type === 'Unigram') return unigram(model)
	if (model.type === 'BPE' && steps.some(({ type }) => type === 'ByteLevel')) return bpe(model)
	throw new Error(`tokenizer.json has a model that is not supported: ${model.type ?? 'unnamed'}.`)
}

function stepsOf(step: Step | null): Step[] {
	if (!step) return []
	const inner = (step.normalizers ?? step.pretokenizers ?? step.processors) as Step[] | undefined
	return inner ? inner.flatMap((one) => stepsOf(one)) : [step]
}

function normaliser(step: Step | null): (text: string) => string {
	const steps = stepsOf(step)
	return (text) => steps.reduce(applied, text)
}

function applied(text: string, step: Step): string {
	if (step.type === 'Lowercase') return text.toLowerCase()
	if (step.type === 'BertNormalizer') {
		const plain = step.lowercase === false ? text : text.toLowerCase()
		return step.strip_accents === false || (step.strip_accents == null && step.lowercase === false)
			? plain
			: plain.normalize('NFD').replace(/\p{Mn}/gu, '')
	}
	if (step.type === 'StripAccents') return text.replace(/\p{Mn}/gu, '')
	if (step.type === 'NFC' || step.type === 'NFD' || step.type === 'NFKC' || step.type === 'NFKD')
		return text.normalize(step.type)
	// A compiled table of SentencePiece: NFKC with white space made plain, for the models met.
	if (step.type === 'Precompiled') return text.normalize('NFKC').replace(/\s/g, ' ')
	if (step.type === 'Strip') return text.trim()
	return text
}

/** A slot is a special token, or `A` or `B` for the texts, with its type id. */
type Slot = { id: number; type: number } | { text: 'A' | 'B'; type: number }

interface TemplatePart {
	SpecialToken?: { id: string; type_id: number }
	Sequence?: { id: 'A' | 'B'; type_id: number }
}

function frameOf(step: Step | null, special: Map<string, number>): { single: Slot[]; pair: Slot[] } {
	const steps = stepsOf(step)
	const template = steps.find(({ type }) => type === 'TemplateProcessing')
	const a: Slot = { text: 'A', type: 0 }
	if (template) {
		const known = template.special_tokens as Record<string, { ids: number[] }>
		const slots = (parts: TemplatePart[]): Slot[] =>
			parts.map(({ SpecialToken, Sequence }) =>
				SpecialToken
					? { id: known[SpecialToken.id]!.ids[0]!, type: SpecialToken.type_id }
					: { text: Sequence!.id, type: Sequence!.type_id },
			)
		return { single: slots(template.single as TemplatePart[]), pair: slots(template.pair as TemplatePart[]) }
	}
	const framed = steps.find(({ type }) => type === 'BertProcessing' || type === 'RobertaProcessing')
	if (!framed) return { single: [a], pair: [a, { text: 'B', type: 0 }] }
	const cls = { id: (framed.cls as [string, number])[1] ?? special.get('[CLS]')!, type: 0 }
	const sep = { id: (framed.sep as [string, number])[1] ?? special.get('[SEP]')!, type: 0 }
	const single: Slot[] = [cls, a, sep]
	if (framed.type === 'RobertaProcessing')
		return { single, pair: [...single, sep, { text: 'B', type: 0 }, sep] }
	return { single, pair: [...single, { text: 'B', type: 1 }, { ...sep, type: 1 }] }
}

const specials = (slots: readonly Slot[]): number => slots.filter((slot) => 'id' in slot).length

function fill(slots: readonly Slot[], a: number[], b: number[]): Encoded {
	const out: Encoded = { ids: [], types: [] }
	for (const slot of slots) {
		const ids = 'id' in slot ? [slot.id] : slot.text === 'A' ? a : b
		for (const id of ids) {
			out.ids.push(id)
			out.types.push(slot.type)
		}
	}
	return out
}
