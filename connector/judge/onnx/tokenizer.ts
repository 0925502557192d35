/**
 * Reads a `tokenizer.json` with WordPiece (BERT), Unigram (XLM-R, DeBERTa) or BPE (RoBERTa, ModernBERT). The library
 * turns text into ids. Special tokens and the cut to a length are ours: the library has no cut, and it would read a
 * special token that somebody wrote into the text as a real one.
 */
import { Tokenizer as Encoder } from '@huggingface/tokenizers'

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
	added_tokens?: { id: number; content: string; special?: boolean }[]
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

export function readTokenizer(file: TokenizerFile): Tokenizer {
	const encode = encoderOf(file)
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

const MODELS = new Set(['WordPiece', 'Unigram', 'BPE'])

/** Text to ids, without special tokens. A kind of model that is not known is refused, rather than fed with nonsense. */
function encoderOf({ model, normalizer, pre_tokenizer, added_tokens = [] }: TokenizerFile) {
	const type = model.type ?? (model.continuing_subword_prefix === undefined ? undefined : 'WordPiece')
	if (type === undefined || !MODELS.has(type))
		throw new Error(`tokenizer.json has a model that is not supported: ${type ?? 'unnamed'}.`)
	const special = added_tokens.filter((one) => one.special !== false)
	const encoder = new Encoder(
		{
			model: { ...model, type, vocab: unmatched(model, new Set(special.map(({ id }) => id))) },
			normalizer: normalizer ?? null,
			pre_tokenizer: pre_tokenizer ?? null,
			post_processor: null,
			decoder: null,
			added_tokens: added_tokens.filter((one) => one.special === false),
		},
		{},
	)
	return (text: string): number[] => encoder.encode(text.toWellFormed()).ids
}

/** The vocabulary with special tokens under names that no text can have: a surrogate alone is replaced in every text. */
function unmatched({ vocab, unk_id, unk_token }: TokenizerFile['model'], special: ReadonlySet<number>) {
	const renamed = (piece: string, id: number) =>
		special.has(id) && id !== unk_id && piece !== unk_token ? `\ud800${id}` : piece
	return Array.isArray(vocab)
		? vocab.map(([piece, score], id) => [renamed(piece, id), score])
		: Object.fromEntries(Object.entries(vocab).map(([piece, id]) => [renamed(piece, id), id]))
}

function stepsOf(step: Step | null): Step[] {
	if (!step) return []
	const inner = step.processors as Step[] | undefined
	return inner ? inner.flatMap((one) => stepsOf(one)) : [step]
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
