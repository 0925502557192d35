import { expect, test } from 'vitest'
import { load } from '../../bench/load.ts'
import { peers } from '../../bench/peers/index.ts'
// @ts-expect-error: as it is copied beside an adapter, without types.
import { loop } from '../../bench/peers/loop.mjs'

// What the adapters of peers say of themselves, and what they share.

test.each(peers)('%s names exact versions, and what it does', async (name) => {
	const { packages, says } = await import(`../../bench/peers/${name}.mjs`)
	for (const version of Object.values(packages)) expect(version).toMatch(/^\d+\.\d+\.\d+$/)
	expect(Object.keys(packages)).not.toEqual([])
	expect(says).toMatch(/stream|SDK|library|Worker|client/)
})

const wanted = { id: '1', function: { name: 'echo', arguments: '{"text":"hello"}' } }

test('the loop asks, calls the tool that was named, and asks again', async () => {
	const kept: unknown[][] = []
	const answer = await loop('What?', {
		ask: async (messages: unknown[]) =>
			messages.length === 2 ? { tool_calls: [wanted] } : { content: `after ${messages.length}` },
		call: async (named: unknown) => JSON.stringify(named),
		keep: (messages: unknown[]) => kept.push([...messages]),
	})
	expect(answer).toBe('after 4')
	expect(kept.map((messages) => messages.length)).toEqual([2, 3, 4, 5])
	const result = { role: 'tool', tool_call_id: '1', content: '{"name":"echo","arguments":{"text":"hello"}}' }
	expect(kept[2]?.at(-1)).toEqual(result)
})

test('the loop ends when the model does not stop calling', async () => {
	const endless = loop('What?', { ask: async () => ({ tool_calls: [wanted] }), call: async () => '' })
	await expect(endless).rejects.toThrow('no answer after 4 turns')
})

test('each of the callers has a number, and each call one of its own', async () => {
	const seen: number[][] = []
	await load(2, 4, 60, async (...numbers) => void seen.push(numbers))
	expect(new Set(seen.map(([, caller]) => caller))).toEqual(new Set([0, 1]))
	expect(seen.map(([n]) => n).toSorted()).toEqual([0, 1, 2, 3])
})
