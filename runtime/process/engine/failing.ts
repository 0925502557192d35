/** What is told at the end of a run that used up its steps: a model may make the same mistake until there are none left. */
import type { Entry } from '../../wire/journal.ts'
import { isFailedTool } from '../../wire/usage.ts'

/** Tool calls that failed one after the other, without one in between that did not. */
export interface Failing {
	times: number
	/** Of the last of them. */
	name: string
	why: string
}

const WHY_MAX_CHARS = 300
/** With these the message is Berth's own. Others may hold what a tool said. */
const OWN = new Set<unknown>(['input_invalid', 'tool_missing', 'tool_changed'])

export function failingAfter(before: Failing | undefined, data: Entry['data']): Failing | undefined {
	if (!isFailedTool({ type: 'tool.completed', data })) return undefined
	const { code, message } = (data.error ?? {}) as { code?: unknown; message?: unknown }
	const said = OWN.has(code) ? String(message).slice(0, WHY_MAX_CHARS).toWellFormed() : undefined
	const why = said ?? (code === undefined ? 'its result was a failure.' : `it ended as ${String(code)}.`)
	return { times: (before?.times ?? 0) + 1, name: String(data.name), why }
}

export function failingOf(journal: readonly Entry[]): Failing | undefined {
	let failing: Failing | undefined
	for (const { type, data } of journal) if (type === 'tool.completed') failing = failingAfter(failing, data)
	return failing
}

/** To be added to a sentence; nothing where the last tool call did not fail. */
export function whyFailing(failing: Failing | undefined): string {
	if (!failing) return ''
	const { times, name, why } = failing
	const which = times === 1 ? 'Its last tool call failed:' : `Its last ${times} tool calls failed, the last:`
	return ` ${which} ${name}: ${why}`
}
