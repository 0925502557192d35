import { describe, expect, it } from 'vitest'
import { type Agent, asksPlatform, faultLine, modelChains, parseAgent } from '../../../bundles/index.ts'

const faultsOf = (text: string) => parseAgent(text).faults.map(faultLine)
const model = (members: string, rest = '') =>
	faultsOf(`name: a\nmodel:\n${members.replace(/^(?=.)/gm, '  ')}\n${rest}`)

describe('options of a model', () => {
	// Proves: model.options
	it('are taken by the interfaces that have them', () => {
		const everywhere =
			'temperature: 0.2\ntop_p: 0.9\nmax_tokens: 500\neffort: low\nparallel_tool_calls: false\ntool_choice: { tool: add }\nstrict: false'
		expect(model(`provider: openai\nname: m\n${everywhere}`)).toEqual([])
		expect(model(`provider: openai\napi: chat\nname: m\nseed: 7\nstop: ["END"]\n${everywhere}`)).toEqual([])
		expect(
			model(
				`provider: anthropic\nname: m\nstop: ["END"]\nthinking_tokens: 1024\n${everywhere}`.replace(
					'500',
					'5000',
				),
			),
		).toEqual([])
	})

	// Proves: model.options-refused
	it.each([
		['openai', 'seed: 7', "is no option of OpenAI's `responses` (`api: chat` has it)"],
		['openai', 'stop: [x]', "is no option of OpenAI's `responses` (`api: chat` and Anthropic have it)"],
		['openai', 'thinking_tokens: 2000', "is no option of OpenAI's `responses`: write `effort`"],
		['anthropic', 'seed: 7', "is no option of Anthropic's `messages` (`api: chat` has it)"],
		['anthropic', 'temperature: 1.5', 'goes up to 1 at Anthropic'],
		['anthropic', 'effort: minimal', 'begins with low at Anthropic, which has no minimal'],
		['anthropic', 'thinking_tokens: 2000\nmax_tokens: 2000', 'are part of max_tokens and must be fewer'],
		['openai', 'tool_choice: any', 'must be auto, none, required, or { tool: NAME }'],
		[
			'openai',
			'effort: low\nparameters: { reasoning: { effort: high } }',
			'stands in `parameters`, too (reasoning.effort): write it once',
		],
	])('are refused at their line where %s has none such: %s', (provider, text, message) => {
		const [option] = text.split(':')
		expect(model(`provider: ${provider}\nname: m\n${text}`)).toEqual([
			`agent.yaml:5 /model/${option}: ${message}`,
		])
	})

	// Proves: model.strict
	it('refuse a guarantee for a schema that the provider cannot guarantee', () => {
		const output = (schema: string) => `output: ${schema}\n`
		const open = output('{ type: object, properties: { a: { type: string } } }')
		const closed = output(
			'{ type: object, additionalProperties: false, required: [a], properties: { a: { type: string } } }',
		)
		expect(model('provider: openai\nname: m\nstrict: true', open).join()).toContain(
			'agent.yaml:5 /model/strict: the schema `output` is no schema that OpenAI guarantees',
		)
		expect(model('provider: openai\nname: m\nstrict: true', closed)).toEqual([])
		expect(model('provider: anthropic\nname: m\nstrict: true', open)).toEqual([])
		expect(model('provider: anthropic\nname: m\nstrict: true', output('{ type: object }'))).toHaveLength(1)
	})
})

describe('several models', () => {
	const agentOf = (text: string) => parseAgent(`name: a\n${text}`)

	// Proves: model.fallbacks, model.named
	it('may be written as a list, and have a key for each address', () => {
		const { agent, faults } = agentOf(`model:
  - { provider: openai, name: big }
  - { provider: openai, name: small }
  - { provider: anthropic, name: other }
models:
  local: [{ provider: openai, name: l, base_url: "http://llm.local:8000/v1" }, { provider: openai, name: big, key: second }]
`)
		expect(faults).toEqual([])
		expect(agent?.model).toEqual({
			...{ provider: 'openai', name: 'big' },
			fallbacks: [
				{ provider: 'openai', name: 'small' },
				{ provider: 'anthropic', name: 'other' },
			],
		})
		const chains = modelChains(agent as Agent)
		const keys = (name?: string) => chains.get(name)?.map(({ credential }) => credential)
		expect(keys()).toEqual(['provider', 'provider', 'provider:anthropic'])
		expect(keys('local')).toEqual(['provider:llm-local-8000', 'provider:second'])
		// The long form, as a bundle has it, is the same agent.
		expect(parseAgent(JSON.stringify(agent)).agent).toEqual(agent)
	})

	// Proves: model.fallbacks
	it('are told of where they stand in the list', () => {
		const faults = (first: string, second: string, models = '{}') =>
			agentOf(`model:
  - { provider: openai, name: a${first} }
  - provider: anthropic
    name: b
    ${second}
models: ${models}
`).faults.map(faultLine)
		expect(faults(', key: x', '')).toEqual(['agent.yaml:3 /model/0/key: unknown member "key"'])
		expect(faults('', 'seed: 1')).toEqual([
			"agent.yaml:6 /model/1/seed: is no option of Anthropic's `messages` (`api: chat` has it)",
		])
		expect(faults('', 'key: x', '{ m: { provider: openai, name: o, key: x } }')).toEqual([
			'agent.yaml:7 /models/m/key: its key x is for https://api.anthropic.com: name another with `key`',
		])
	})

	// Proves: deployment.platform-provider
	it('are none of the platform, wherever it stands', () => {
		const own = '{ provider: openai, name: a }'
		const platform = '{ provider: platform, name: p }'
		for (const text of [
			`model: ${platform}`,
			`model: [${own}, ${platform}]`,
			`model: ${own}\nmodels: { x: [${own}, ${platform}] }`,
		])
			expect(asksPlatform(agentOf(text).agent as Agent)).toBe(true)
		expect(asksPlatform(agentOf(`model: [${own}, ${own}]`).agent as Agent)).toBe(false)
	})
})
