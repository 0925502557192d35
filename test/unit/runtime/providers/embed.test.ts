import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EmbedRequest, embedTexts } from '../../../../runtime/process/providers/index.ts'
import { type Fixture, KEY, startFixture } from './fixture.ts'

let at: Fixture
let request: EmbedRequest
beforeAll(async () => {
	at = await startFixture()
	at.server.scripts.e = {}
	request = {
		provider: 'openai',
		base_url: at.server.openaiUrl,
		model: 'e',
		parameters: {},
		texts: ['one', 'three'],
	}
})
afterAll(() => at.close())

// Proves: model.embed
test('a vector comes for each text, in its place, as the SDK reads them', async () => {
	const { vectors, usage, model } = await embedTexts(
		{ ...request, parameters: { dimensions: 3 } },
		at.context(),
	)
	expect(at.sent()).toEqual({ model: 'e', input: ['one', 'three'], encoding_format: 'float', dimensions: 3 })
	expect([model, usage]).toEqual(['e', { input_tokens: 8, cached_input_tokens: 0, output_tokens: 0 }])
	const sdk = new OpenAI({ apiKey: KEY, baseURL: at.server.openaiUrl, maxRetries: 0 })
	const { data } = await sdk.embeddings.create({ model: 'e', input: request.texts })
	const inOrder = data.sort((a, b) => a.index - b.index).map(({ embedding }) => embedding)
	expect(vectors).toEqual([
		[3, 111, 0.5],
		[5, 116, 1.5],
	])
	expect(inOrder.map((vector) => [...vector])).toEqual(vectors)
})

// Proves: model.embed
test('what is no vector for each text, a rejected key and a missing model have their codes', async () => {
	const call = (change: Partial<EmbedRequest>, key = KEY) =>
		embedTexts({ ...request, ...change }, at.context({ apiKey: key }))
	await expect(call({ model: 'none' })).rejects.toMatchObject({ code: 'agent_error', missing: true })
	await expect(call({}, 'sk-other')).rejects.toMatchObject({ code: 'provider_auth_failed' })
	await expect(call({ parameters: { input: 'x' } })).rejects.toMatchObject({ code: 'agent_error' })
	at.server.scripts.busy = { fault: { status: 503 } }
	await expect(call({ model: 'busy' })).rejects.toMatchObject({ code: 'provider_unavailable', passing: true })
	for (const data of [
		[],
		[{ embedding: [1] }],
		[{ embedding: [1] }, { embedding: [1, 2] }],
		[{ embedding: ['x'] }, null],
	]) {
		at.server.scripts.odd = { fault: { status: 200, body: { data } } }
		await expect(call({ model: 'odd' })).rejects.toMatchObject({
			code: 'provider_unavailable',
			message: expect.stringContaining('no embedding of each text'),
		})
	}
})
