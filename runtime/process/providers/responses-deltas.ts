/**
 * Text of a `responses` stream as it comes, so that all of it together is the text of the answer (spec
 * provider.deltas-are-answer): commentary waits until it is known whether a final answer follows.
 */
import type { ResponseStreamEvent } from 'openai/resources/responses/responses'
import type { Loose } from './wire.ts'

export const BETWEEN_MESSAGES = '\n\n'

type Added = Loose<Extract<ResponseStreamEvent, { type: 'response.output_item.added' }>>
type Delta = Loose<Extract<ResponseStreamEvent, { type: 'response.output_text.delta' }>>

export function textDeltas(onDelta: (text: string) => void) {
	const phases = new Map<unknown, unknown>()
	/** Index of the newest message: some servers leave `output_index` out. */
	let newest: unknown
	let unnumbered = 0
	let held = ''
	let final = false
	let before: { index: unknown } | undefined

	const pass = (text: string, index: unknown) => {
		const between = before && before.index !== index ? BETWEEN_MESSAGES : ''
		before = { index }
		return between + text
	}
	return {
		item({ item, output_index }: Added) {
			if (item?.type !== 'message') return
			newest = output_index ?? --unnumbered
			phases.set(newest, item.phase)
		},
		delta({ delta, output_index }: Delta) {
			if (!delta) return
			const index = output_index ?? newest
			const phase = phases.get(index)
			if (phase === 'final_answer' && !final) {
				final = true
				held = ''
				before = undefined
			}
			if (final && phase !== 'final_answer') return
			const text = pass(delta, index)
			if (phase === 'commentary' || held !== '') held += text
			else onDelta(text)
		},
		/** The whole answer is there. */
		end() {
			if (held !== '') onDelta(held)
			held = ''
		},
	}
}
