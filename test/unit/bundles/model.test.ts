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

	// Proves: provider.parameters-at-build
	it.each([
		['provider: openai', 'n'],
		['provider: openai', 'stream_options'],
		['provider: openai', 'messages'],
		['provider: openai', '__proto__x'],
		['provider: openai, api: chat', 'response_format'],
		['provider: anthropic', 'cache_control'],
	])('may not set in `parameters` (%s) what Berth sets itself: %s', (head, name) => {
		const message = 'is set by Berth, or is no name of a parameter: leave it out of `parameters`'
		const one = `${head}, name: m, parameters: { top_k: 3, ${name}: 2 }`
		const members = one.replaceAll(/, (?=api|name|parameters)/g, '\n')
		expect(model(members)).toEqual([
			`agent.yaml:${members.split('\n').length + 2} /model/parameters/${name}: ${message}`,
		])
		expect(model(`provider: openai\nname: m\nfallbacks:\n  - { ${one} }`)).toEqual([
			`agent.yaml:6 /model/fallbacks/0/parameters/${name}: ${message}`,
		])
	})

	// Proves: search.opt-in
	it('turn on web search where the provider has it, with what it can be told', () => {
		const place = 'user_location: { city: Bonn, country: DE, timezone: Europe/Berlin }'
		expect(model('provider: openai\nname: m\nweb_search: true')).toEqual([])
		expect(model(`provider: openai\napi: chat\nname: m\nweb_search: { ${place} }`)).toEqual([])
		const domains = 'allowed_domains: [example.com, docs.example.org/guide]'
		for (const provider of ['openai', 'anthropic'])
			expect(
				model(`provider: ${provider}\nname: m\nweb_search: { max_uses: 3, ${domains}, ${place} }`),
			).toEqual([])
		expect(
			model('provider: anthropic\nname: m\nweb_search: { blocked_domains: [a.io] }\ncitations: true'),
		).toEqual([])
	})

	// Proves: search.refused
	it.each([
		[
			'openai\n  api: chat',
			'web_search: { max_uses: 3 }',
			"has max_uses, which OpenAI's `chat` does not take: leave it out, or write `api: responses`",
		],
		[
			'openai\n  api: chat',
			'web_search: { allowed_domains: [a.io] }',
			"has allowed_domains, which OpenAI's `chat` does not take: write `api: responses`",
		],
		[
			'openai',
			'web_search: { blocked_domains: [a.io] }',
			'has blocked_domains, which only Anthropic takes: write allowed_domains',
		],
		[
			'anthropic',
			'web_search: { allowed_domains: [a.io], blocked_domains: [b.io] }',
			'has allowed_domains and blocked_domains: Anthropic takes one of them',
		],
		['openai', 'web_search: yes please', 'must be true, or settings such as { max_uses: 3 }'],
		[
			'openai',
			'web_search: true\n  parameters: { max_tool_calls: 3 }',
			'has max_uses in place of the parameter max_tool_calls',
		],
		[
			'openai',
			'web_search: true\n  parameters: { tools: [{ type: web_search }] }',
			'writes `tools` itself: leave it out of `parameters`',
		],
		[
			'openai',
			'citations: true',
			"is no option of OpenAI's `responses`: only Anthropic cites files. Citations of web search come by themselves",
		],
		[
			'anthropic',
			'citations: true\n  strict: true',
			'excludes `strict: true`: Anthropic refuses both together',
		],
	])('are refused at their line where %s cannot be told: %s', (provider, text, message) => {
		const [option] = text.split(':')
		const line = provider.includes('\n') ? 6 : 5
		expect(faultsOf(`name: a\nmodel:\n  provider: ${provider}\n  name: m\n  ${text}\n`)).toEqual([
			`agent.yaml:${line} /model/${option}: ${message}`,
		])
	})

	// Proves: search.refused
	it.each([
		['web_search:\n  max_uses: no', '6 /model/web_search/max_uses: must be a number, not a string'],
		[
			'web_search:\n  user_location: { city: [Paris] }',
			'6 /model/web_search/user_location/city: must be a string, not an array',
		],
		['web_search:\n  max_uses: 2\n  uses: 2', '7 /model/web_search/uses: unknown member "uses"'],
		['tool_choice:\n  tool: 7', '6 /model/tool_choice/tool: must be a string, not a number'],
		['tool_choice: [echo]', '5 /model/tool_choice: must be auto, none, required, or { tool: NAME }'],
	])('are refused by the member that is of a wrong type: %s', (text, fault) => {
		expect(model(`provider: openai\nname: m\n${text}`)).toEqual([`agent.yaml:${fault}`])
	})

	// Proves: search.refused
	it('are refused at the setting that is wrong', () => {
		const faults = model(
			'provider: openai\nname: m\nweb_search:\n  max_uses: 0\n  allowed_domains: ["https://a.io"]\n  domains: []\n  user_location: { timezone: Nowhere/X }',
		)
		expect(faults).toEqual([
			'agent.yaml:6 /model/web_search/max_uses: must be at least 1',
			'agent.yaml:7 /model/web_search/allowed_domains/0: is no domain: write it without https:// and without *, such as example.com',
			'agent.yaml:9 /model/web_search/user_location/timezone: is no time zone: write one such as Europe/Berlin',
			'agent.yaml:8 /model/web_search/domains: unknown member "domains"',
		])
	})

	// Proves: search.refused
	it('refuse a tool of `requires` with the name of Anthropic’s search', () => {
		const requires =
			'requires:\n  - { connector: "https://a.io/mcp", scopes: [], auth: none, kind: connector, tools: [web_search] }\n'
		const search = (provider: string) => model(`provider: ${provider}\nname: m\nweb_search: true`, requires)
		expect(search('openai')).toEqual([])
		expect(search('anthropic')).toEqual([
			'agent.yaml:5 /model/web_search: is a tool named web_search at Anthropic, and `requires` lists a tool of that name: leave one of them out',
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
