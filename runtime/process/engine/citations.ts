import type { Effects } from '../../wire/effects.ts'
import type { Run } from './run.ts'

/**
 * Of an output that is a model's answer, as it stands or as the value that it says: what the answer cites. A program that
 * makes its output of several answers says itself what they rest on. `output`: as the program returned it, in JSON.
 */
export function citationsOf({ closings }: Run, output: string): string | undefined {
	for (const { closing } of closings.toReversed()) {
		if (closing?.type !== 'model.completed' || !closing.ok || !closing.data.citations) continue
		const { message, citations = [] } = JSON.parse(closing.result ?? '{}') as Effects['model']['reply']
		if (JSON.stringify(message.content) === output) return JSON.stringify(citations)
		if (jsonIn(message.content) !== output) continue
		// Positions are of the text, and nobody is given it.
		return JSON.stringify(citations.map(({ start_index: _, end_index: __, ...cited }) => cited))
	}
	return undefined
}

/** As JSON; a model may put a fence around it. */
function jsonIn(text: string): string | undefined {
	const bare = text
		.trim()
		.replace(/^```(?:json)?\n/, '')
		.replace(/\n```$/, '')
	try {
		return JSON.stringify(JSON.parse(bare))
	} catch {
		return undefined
	}
}
