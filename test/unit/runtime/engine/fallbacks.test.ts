import { expect, test } from 'vitest'
import { ProviderError } from '../../../../runtime/process/providers/index.ts'
import type { Entry } from '../../../../runtime/wire/journal.ts'
import { answer, type Guest, type WorldOptions, world } from '../../../kit/engine/fakes.ts'

// Which model is asked, what is asked next where it fails for good, and what the journal says of it.

const yaml = `name: a
model:
  - { provider: openai, name: first, retry_seconds: 0 }
  - { provider: anthropic, name: second, retry_seconds: 0 }
models:
  deep: { provider: anthropic, name: deep, effort: high }
output: {}
`
const ask =
	(options: object = {}): WorldOptions['program'] =>
	(guest: Guest) =>
		guest.effect('model', { messages: [{ role: 'user', content: 'hi' }], tools: [], ...options })
const used = { input_tokens: 7, cached_input_tokens: 0, output_tokens: 3 }
const failing = (error: ProviderError): WorldOptions['model'] => {
	return async ({ model }, { onDelta }) => {
		if (model !== 'first') return answer('from the second', { model: 'second-2026' })
		onDelta?.('half')
		throw error
	}
}
const dataOf = (entries: Entry[], wanted: string) =>
	entries.filter(({ type }) => type === wanted).map(({ data }) => data)

// Proves: model.fallbacks
test.each([
	['overloaded', new ProviderError('provider_unavailable', 'overloaded', { passing: true, used })],
	['limited', new ProviderError('provider_rate_limited', 'used up', { used })],
	['unknown', new ProviderError('agent_error', 'no such model', { missing: true, used })],
])('the next model is asked where the first is %s, and the events say why', async (_, error) => {
	const { begin, requests } = world({ yaml, program: ask(), model: failing(error) })
	const { entries, outcome, usage } = await begin({ stream: true })
	expect(outcome).toMatchObject({ status: 'succeeded' })
	expect(JSON.parse((outcome as { output: string }).output)).toMatchObject({
		message: { content: 'from the second' },
		model: 'second-2026',
	})
	expect(requests.map(({ provider, model }) => [provider, model])).toEqual([
		['openai', 'first'],
		['anthropic', 'second'],
	])
	expect(dataOf(entries, 'model.started')).toEqual([
		{ call: 1, provider: 'openai', model: 'first' },
		{ call: 1, attempt: 2, provider: 'anthropic', model: 'second' },
	])
	const { code, message } = error
	// What was said of the first answer is void for readers of the stream.
	expect(dataOf(entries, 'model.retrying')).toEqual([
		{
			...{ call: 1, attempt: 1, error: { code, message }, delay_ms: 0 },
			next: { provider: 'anthropic', model: 'second' },
			usage: { ...used, usd: null },
		},
	])
	expect(usage).toMatchObject({ model_calls: 2, input_tokens: 17, output_tokens: 8 })
})

// Proves: model.fallbacks
test('a refusal that the next model would give as well is not passed on', async () => {
	for (const code of ['agent_error', 'provider_auth_failed'] as const) {
		const { begin, requests } = world({ yaml, program: ask(), model: failing(new ProviderError(code, 'no')) })
		expect((await begin()).outcome).toMatchObject({ status: 'failed', error: { code } })
		expect(requests).toHaveLength(1)
	}
})

// Proves: model.named, model.fallback-replay
test('a program names a model, which has its own key; its answer is replayed without it', async () => {
	const keys: string[] = []
	const options: WorldOptions = {
		yaml,
		program: ask({ model: 'deep' }),
		model: async (_, { apiKey }) => {
			keys.push(apiKey)
			return answer('thought')
		},
	}
	const { begin, requests } = world(options)
	const { entries, outcome } = await begin()
	expect(requests).toMatchObject([{ provider: 'anthropic', model: 'deep', options: { effort: 'high' } }])
	expect(outcome.status === 'succeeded' && outcome.output).toContain('"model":"m-2026"')
	const committed = entries.filter(({ type }) => type !== 'run.completed')
	const second = await world(options).begin({ journal: committed, attempt: 2, epoch: 2 })
	expect(second.outcome).toEqual(outcome)
	expect(keys).toEqual(['sk-provider:anthropic'])
})

// Proves: model.named
test('a model that agent.yaml does not name, and an option that a fallback does not have, are refused', async () => {
	const failed = async (options: object) => {
		const { begin, requests } = world({ yaml, program: ask(options) })
		const { outcome } = await begin()
		expect(requests).toEqual([])
		return (outcome as { error: { message: string } }).error.message
	}
	expect(await failed({ model: 'shallow' })).toContain('asked for the model "shallow"; `models` has deep')
	expect(await failed({ options: { effort: 'minimal' } })).toContain('begins with low at Anthropic')
	expect(await failed({ model: { provider: 'anthropic', name: 'x' } })).toContain('another provider')
})

// Proves: model.named
test('a run does not begin without the key of each model', async () => {
	const { begin } = world({ yaml, program: ask(), missing: ['provider:anthropic'] })
	expect((await begin()).outcome).toMatchObject({
		error: { code: 'credentials_missing', message: 'The key anthropic has not been uploaded.' },
	})
})

// Proves: model.sealed-for-one
test('what only one provider can read in an answer is not sent to another', async () => {
	const messages: object[] = [{ role: 'user', content: 'hi' }]
	const program: WorldOptions['program'] = async (guest) => {
		for (const model of [undefined, 'deep', undefined]) {
			const reply = (await guest.effect('model', { messages, tools: [], model })) as { message: object }
			messages.push(reply.message)
		}
		return null
	}
	const sealed = answer('a', {
		message: { role: 'assistant', content: 'a', provider: { items: ['sealed'] } },
	})
	const { begin, requests } = world({ yaml, program, model: async () => sealed })
	await begin()
	const seen = requests.map((request) =>
		request.messages.map((m) => 'provider' in m && m.provider !== undefined),
	)
	expect(seen).toEqual([[false], [false, false], [false, true, false]])
})
