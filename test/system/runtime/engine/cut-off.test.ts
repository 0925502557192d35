import { expect, test } from 'vitest'
import { program, start } from './processes.ts'

// What the provider's limit of one answer cut off is told by its code, or by the reply's own stop.

const cut = { m: [{ text: 'half an', length: true }] }

// Proves: limit.output-cut
test.each([
	['the standard loop', undefined],
	["a program's loop", program('return await ctx.loop()')],
	[
		'a program that asks for a schema',
		program("return await ctx.model('x', { output: { type: 'object' } })"),
	],
])('an answer that was cut off ends %s with its code', async (_, files) => {
	const { begin } = await start({ scripts: cut, ...(files && { files }) })
	expect((await begin()).outcome).toMatchObject({
		status: 'failed',
		error: { code: 'output_limit_reached', message: expect.stringContaining('limit of its output') },
	})
})

// Proves: limit.output-cut
test('a program that reads the reply itself sees why it ended', async () => {
	const files = program("const { text, stop } = await ctx.model('x'); return stop + ': ' + text")
	const { begin } = await start({ scripts: cut, files })
	expect((await begin()).outcome).toEqual({ status: 'succeeded', output: '"length: half an"' })
})

test('a program cannot end with that code of itself', async () => {
	const files = program("throw Object.assign(new Error('no'), { code: 'output_limit_reached' })")
	expect((await (await start({ scripts: cut, files })).begin()).outcome).toMatchObject({
		error: { code: 'agent_error' },
	})
})
