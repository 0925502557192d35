import { expect, test } from 'vitest'
import { createTurns } from '../../../../runtime/process/programs/index.ts'

test('one owner has one turn at a time and leaves room for others; a failure ends only its own', async () => {
	const turns = createTurns(2)
	const order: string[] = []
	const gates = new Map<string, PromiseWithResolvers<void>>()
	const work = (owner: string, name: string) => {
		const gate = Promise.withResolvers<void>()
		gates.set(name, gate)
		return turns(owner, async () => {
			order.push(name)
			await gate.promise
			return name
		})
	}
	const settled = () => new Promise((resolve) => setImmediate(resolve))
	const all = [work('a', 'a1'), work('a', 'a2'), work('b', 'b1'), work('c', 'c1')]
	await settled()
	expect(order).toEqual(['a1', 'b1'])
	gates.get('b1')?.reject(new Error('b failed'))
	await expect(all[2]).rejects.toThrow('b failed')
	await settled()
	expect(order).toEqual(['a1', 'b1', 'c1'])
	for (const gate of gates.values()) gate.resolve()
	expect(await Promise.all([all[0], all[1], all[3]])).toEqual(['a1', 'a2', 'c1'])
})
