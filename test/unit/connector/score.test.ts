// The level that guard_score names where the shares of several are the same.
import { expect, test } from 'vitest'
import { score } from '../../../connector/mcp/tools/score.ts'

const levelOf = async (probabilities: number[]) => {
	const levels = probabilities.map((_, i) => `level ${i}`)
	const judge = { score: async () => ({ basis: 'none', probabilities }) }
	const { signal } = new AbortController()
	const answer = (await score.prepare({ question: 'q', levels }).run(judge as never, signal)) as Record<
		string,
		unknown
	>
	return [answer.level, answer.expected]
}

// Proves: guard.score
test.each([
	[[0.25, 0.25, 0.25, 0.25, 0], 'level 1', 1.5],
	[[0.2, 0.2, 0.2, 0.2, 0.2], 'level 2', 2],
	[[0.5, 0.5], 'level 0', 0.5],
	[[0.1, 0.6, 0.3], 'level 1', 1.2],
	[[0.3, 0.4, 0.3 - 0.1, 0.1], 'level 1', 1.1],
])('%j → %s', async (probabilities, level, expected) => {
	expect(await levelOf(probabilities)).toEqual([level, expect.closeTo(expected)])
})
