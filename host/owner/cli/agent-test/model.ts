import type { Model, Turn } from '../../../../bundles/types/test.d.ts'

/** Answers in order. Calls of one run that go on side by side are answered in the order in which they were made. */
export function script(turns: readonly Turn[]): Model {
	return (request, call) => {
		const turn = turns[call]
		if (turn !== undefined) return turn
		const last = request.messages.at(-1)
		throw new Error(
			`the script has ${turns.length} answers, and the agent calls the model once more; the last message is ${last?.role}: ${JSON.stringify(last?.content).slice(0, 500)}`,
		)
	}
}
