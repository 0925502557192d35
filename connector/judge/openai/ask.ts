/**
 * All questions of a guard call about one material. They share prompts; what comes back missing or invalid is asked
 * again alone, once, with no more characters in all than the first round had. Bounds of the call: its tokens and its time.
 */
import { JudgeError } from '../types.ts'
import type { Server } from './client.ts'
import { codeFor, messages, type Sheet, schemaOf } from './prompt.ts'
import { type Answer, readReply } from './reply.ts'

export interface Call {
	server: Server
	signal: AbortSignal
	/** Throws where the call would take more tokens than it may. */
	spend(bytes: number): void
}

export interface Questions extends Sheet {
	/** A shorter material for one item that is asked again, and its lines. */
	excerpt?(item: number): Pick<Sheet, 'material' | 'lines'>
}

const ITEMS_PER_PROMPT = 32
const ITEM_UNITS_PER_PROMPT = 12_000
/** From here on the first prompt goes alone, so that the others find the material in the server's cache. */
const LONG_MATERIAL_UNITS = 4_000
/** Of the longest entry of an answer, and of what stands around the entries. */
const ENTRY_TOKENS = 60
const FRAME_TOKENS = 80

/** Answers in the order of the items. */
export async function askAll(call: Call, questions: Questions): Promise<Answer[]> {
	const { material, query = '', items, alternatives } = questions
	const code = codeFor([material, query, ...items, ...alternatives])
	const groups = groupsOf(items)
	const found = new Map<number, Answer>()
	let units = 0
	const round = async (group: readonly number[], changed: Partial<Sheet> = {}) => {
		const sheet = { ...questions, ...changed, items: group.map((i) => items[i]!) }
		const answers = await prompt(call, sheet, code, (size) => {
			units += size
		})
		for (const [i, answer] of answers) found.set(group[i]!, answer)
	}
	const [first, ...rest] = groups
	if (first && rest.length && material.length >= LONG_MATERIAL_UNITS) {
		await round(first)
		await Promise.all(rest.map((group) => round(group)))
	} else await Promise.all(groups.map((group) => round(group)))
	await again(call, questions, found, units, round)
	return items.map((_, i) => found.get(i)!)
}

/** Throws where an item stays without an answer: a guess in its place would look like an answer. */
async function again(
	call: Call,
	{ material, items, lines, excerpt }: Questions,
	found: ReadonlyMap<number, Answer>,
	spare: number,
	round: (group: number[], changed: Partial<Sheet>) => Promise<void>,
): Promise<void> {
	let left = spare
	const open = items.flatMap((_, i) => {
		if (found.has(i)) return []
		const shorter = excerpt && material.length >= LONG_MATERIAL_UNITS ? excerpt(i) : { material, lines }
		left -= shorter.material.length + items[i]!.length
		return [{ i, shorter }]
	})
	if (left >= 0) await Promise.all(open.map(({ i, shorter }) => round([i], shorter)))
	call.signal.throwIfAborted()
	const missing = items.filter((_, i) => !found.has(i)).length
	if (missing)
		throw new JudgeError(
			'unavailable',
			`The judge’s server left ${missing} of ${items.length} questions without a valid answer.`,
		)
}

async function prompt(
	{ server, signal, spend }: Call,
	sheet: Sheet,
	code: string,
	sent: (units: number) => void,
): Promise<Map<number, Answer>> {
	let counted = false
	const reply = await server.complete((dialect) => {
		const stated = !dialect.logprobs
		const written = messages(sheet, code, stated)
		const text = written.map(({ content }) => content).join('')
		spend(Buffer.byteLength(text))
		if (!counted) sent(text.length)
		counted = true
		return {
			messages: written,
			schema: schemaOf(sheet.alternatives.length, sheet.lines.length > 0, stated),
			tokens: FRAME_TOKENS + ENTRY_TOKENS * sheet.items.length,
		}
	}, signal)
	return readReply(reply, {
		code,
		items: sheet.items.length,
		alternatives: sheet.alternatives.length,
		lines: new Set(sheet.lines),
	})
}

function groupsOf(items: readonly string[]): number[][] {
	const groups: number[][] = []
	let units = Number.POSITIVE_INFINITY
	items.forEach((text, i) => {
		const group = groups.at(-1)
		if (!group || group.length >= ITEMS_PER_PROMPT || units + text.length > ITEM_UNITS_PER_PROMPT) {
			groups.push([i])
			units = text.length
		} else {
			group.push(i)
			units += text.length
		}
	})
	return groups
}
