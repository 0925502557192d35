import { expect, test } from 'vitest'
import { ProviderError } from '../../../../runtime/process/providers/index.ts'
import { type WorldOptions, world } from '../../../kit/engine/fakes.ts'

const yaml = `name: a
model: { provider: anthropic, name: m }
models:
  vectors: { provider: openai, name: text-embedding-3-small, retry_seconds: 1 }
  words: { provider: anthropic, name: w }
  two: [{ provider: openai, name: a }, { provider: openai, name: b }]
output: {}
`
const ask =
	(args: object): WorldOptions['program'] =>
	(guest) =>
		guest.effect('embed', args)
const texts = { model: 'vectors', input: ['one', 'three'] }

// Proves: model.embed
test('vectors are recorded, counted, priced, retried, and replayed without asking again', async () => {
	let calls = 0
	const services: WorldOptions['services'] = {
		async embed(request) {
			if (++calls === 1) throw new ProviderError('provider_unavailable', 'later', { passing: true })
			expect(request).toEqual({
				provider: 'openai',
				model: 'text-embedding-3-small',
				parameters: {},
				texts: texts.input,
			})
			const usage = { input_tokens: 1_000_000, cached_input_tokens: 0, output_tokens: 0 }
			return { vectors: [[1], [2]], usage, model: 'e-2026' }
		},
	}
	const tokens = `${yaml}limits: { tokens: 2000000 }\n`
	const { entries, outcome, usage } = await world({ yaml: tokens, program: ask(texts), services }).begin()
	expect(JSON.parse((outcome as { output: string }).output)).toEqual({
		vectors: [[1], [2]],
		model: 'e-2026',
		usage: { input_tokens: 1_000_000 },
	})
	expect(usage).toMatchObject({ model_calls: 2, input_tokens: 1_000_000, usd: 0.02 })
	expect(entries.map(({ type }) => type)).toEqual([
		'run.started',
		...['model.started', 'model.retrying', 'model.started', 'model.completed'],
		'run.completed',
	])
	expect(entries[4]?.data).toMatchObject({ embedding: true, texts: 2, dimensions: 1, model: 'e-2026' })
	const journal = entries.slice(0, -1)
	const again = await world({ yaml: tokens, program: ask(texts), services }).begin({
		journal,
		attempt: 2,
		epoch: 2,
	})
	expect([again.outcome, calls]).toEqual([outcome, 2])
})

// Proves: model.embed
test.each([
	[{ model: 'words', input: ['x'] }, 'Anthropic has no embeddings'],
	[{ model: 'two', input: ['x'] }, 'two has fallbacks, and vectors of two models cannot be compared'],
	[{ input: ['x'] }, '`model` must be a name of `models`'],
	[{ model: 'vectors', input: Array(129).fill('x') }, '129 texts, of which 128 are taken at once'],
	[{ model: 'vectors', input: [] }, 'have an `input` that is no list of texts'],
])('refuses by name what cannot be embedded: %j', async (args, message) => {
	const { outcome } = await world({ yaml, program: ask(args) }).begin()
	expect(outcome).toMatchObject({ status: 'failed', error: { message: expect.stringContaining(message) } })
})
