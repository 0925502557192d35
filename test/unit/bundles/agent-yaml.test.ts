import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { agentJsonSchema, faultLine, httpSecrets, parseAgent } from '../../../bundles/index.ts'

const faultsOf = (text: string) => parseAgent(text).faults.map(faultLine)

describe('agent.yaml', () => {
	// Proves: bundle.limit-defaults
	it('is filled with defaults', () => {
		const { agent, faults } = parseAgent('name: a\nmodel: { provider: anthropic, name: m }\n')
		expect(faults).toEqual([])
		expect(agent).toEqual({
			name: 'a',
			description: '',
			model: { provider: 'anthropic', name: 'm' },
			prompt: 'prompt.md',
			inputs: { type: 'object', properties: {} },
			requires: [],
			limits: { steps: 50, seconds: 300, tokens: 500_000, memory_mb: 128 },
			tools: {},
		})
	})

	// Proves: bundle.hidden-characters
	it.each(['\\r\\nx-evil: 1', '\\t', '\\n', '\\u202e', '\\u200b', '\\u0085', ' /'])(
		'refuses addresses and names that hold %s',
		(hidden) => {
			const url = `"https://models.example/v1${hidden}x"`
			const text = `name: a
model: { provider: openai, name: "m${hidden}", base_url: ${url} }
requires:
  - { connector: ${url}, scopes: [], auth: none, kind: connector, tools: ["t${hidden}"] }
`
			const faults = faultsOf(text).join('\n')
			const [base, connector, ...names] = ['model/base_url', 'requires/0/connector', 'model/name', 'tools/0']
			for (const at of hidden === ' /' ? [base, connector] : [base, connector, ...names])
				expect(faults).toMatch(new RegExp(`/${at}: .*must hold no control, invisible`))
		},
	)

	// Proves: bundle.connector-timeout
	it('takes a time-out by connector name or URL, of required connectors only, each once', () => {
		const url = 'https://tools.example/mcp'
		const agent = (connectors: string) =>
			faultsOf(`name: a
model: { provider: openai, name: m }
requires: [{ connector: "${url}", scopes: [], auth: none, kind: connector, tools: [t] }]
connectors: { ${connectors} }
`)
		expect(agent(`"${url}": { timeout_seconds: 300 }`)).toEqual([])
		expect(agent('tools-example-mcp: { timeout_seconds: 0.5 }')).toEqual([])
		expect(agent(`"${url}": {}, tools-example-mcp: {}`).join()).toContain('write one entry')
		expect(agent('other: { timeout_seconds: 1 }').join()).toContain('names no connector of `requires`')
		expect(agent(`"${url}": { timeout_seconds: 0 }`)).toHaveLength(1)
	})

	// Proves: http.declared
	it('takes origins that programs may call, and tells what is wrong with one at its line', () => {
		const agent = (http: string) => `name: a\nmodel: { provider: openai, name: m }\nhttp:\n${http}`
		const good = agent(`  https://crm.example.com:
    methods: [GET, POST]
    headers:
      Authorization: Bearer {{secret.crm}}
      X-Both: '{{ secret.crm }}-{{secret.b_2}}'
  http://127.0.0.1:8080: { methods: [GET], idempotent: true, timeout_seconds: 5, max_response_kb: 4096 }
`)
		expect(faultsOf(good)).toEqual([])
		const origin = 'https://crm.example.com'
		expect(httpSecrets(parseAgent(good).agent ?? {})).toEqual([
			{ name: 'crm', credential: 'http:crm', origin },
			{ name: 'b_2', credential: 'http:b_2', origin },
		])
		expect(
			faultsOf(
				agent(`  https://a.example.com/v1: { methods: [GET] }
  https://A.example.com:443:
    methods: [GET]
    headers:
      Host: x
      X-One: '{{crm}}'
      x-one: a
      X Two: b
      X-Three: '{{secret.Not Good}}'
      X-Four: '{{secret.crm}}'
  ftp://a.example.com: { methods: [GET] }
  https://b.example.com:
    methods: [GET]
    headers: { X-Key: '{{secret.crm}}', X-Line: "a\\nb" }
`),
			),
		).toEqual([
			'agent.yaml:4 /http/https:~1~1a.example.com~1v1: must be an origin, without path, user name and standard port: write https://a.example.com',
			'agent.yaml:5 /http/https:~1~1A.example.com:443: must be an origin, without path, user name and standard port: write https://a.example.com',
			'agent.yaml:8 /http/https:~1~1A.example.com:443/headers/Host: is set by Berth itself',
			'agent.yaml:9 /http/https:~1~1A.example.com:443/headers/X-One: has a {{…}} that stands for nothing: write {{secret.NAME}}',
			'agent.yaml:10 /http/https:~1~1A.example.com:443/headers/x-one: is there already, in other letters',
			'agent.yaml:11 /http/https:~1~1A.example.com:443/headers/X Two: is no name of a header',
			'agent.yaml:12 /http/https:~1~1A.example.com:443/headers/X-Three: the name of a secret is 1–63 of a–z, 0–9, - and _, not "Not Good"',
			'agent.yaml:14 /http/ftp:~1~1a.example.com: must be an origin, such as https://api.example.com',
			'agent.yaml:17 /http/https:~1~1b.example.com/headers/X-Key: the secret crm is for https://A.example.com:443: give the one for https://b.example.com another name',
			'agent.yaml:17 /http/https:~1~1b.example.com/headers/X-Line: must hold printable ASCII characters only',
		])
		expect(faultsOf(agent('  https://*.example.com: { methods: [GET] }\n')).join()).toContain('without *')
		expect(faultsOf(agent('  https://a.example.com: { methods: [TRACE], retry: 1 }\n'))).toEqual([
			expect.stringMatching(/^agent\.yaml:4 .*\/methods\/0: must be one of GET, HEAD/),
			'agent.yaml:4 /http/https:~1~1a.example.com/retry: unknown member "retry"',
		])
	})

	// Proves: bundle.all-faults
	it('tells every fault at once, each with its line', () => {
		const text = `name: Not Good
modell: x
model:
  provider: openai
  name: m
  warmth: 1
inputs:
  type: array
  propertys: {}
requires:
  - connector: ftp://example.com/mcp
    scopes: []
    auth: oauth
    kind: tool
    tools: []
limits: { steps: 0, euro: 1 }
`
		expect(faultsOf(text)).toEqual([
			'agent.yaml:1 /name: must be 1–63 of a–z, 0–9 and -, not beginning or ending with -',
			'agent.yaml:6 /model/warmth: unknown member "warmth"',
			'agent.yaml:11 /requires/0/connector: must be an http(s) URL',
			'agent.yaml:14 /requires/0/kind: must be connector',
			'agent.yaml:15 /requires/0/tools: must have at least 1 item',
			'agent.yaml:16 /limits/steps: must be at least 1',
			'agent.yaml:16 /limits/euro: unknown member "euro"',
			'agent.yaml:2 /modell: unknown member "modell"',
			'agent.yaml:8 /inputs/type: inputs must have `type: object`',
		])
	})

	it.each(['http://u:p@host/v1', 'http://host/v1?api-version=1', 'https://host/v1#x'])(
		'refuses %s as an address that paths are put behind',
		(url) => {
			expect(faultsOf(`name: a\nmodel:\n  provider: openai\n  name: m\n  base_url: "${url}"\n`)).toEqual([
				'agent.yaml:5 /model/base_url: must be a URL without query, fragment, user name or password',
			])
		},
	)

	// Proves: bundle.connector-url-length
	it('measures a connector’s address as it is stored, percent-encoded', () => {
		const agent = (path: string) =>
			`name: a\nmodel: { provider: openai, name: m }\nrequires:\n  - { connector: "https://x.example/${path}", scopes: [], auth: none, kind: connector, tools: [t] }\n`
		expect(faultsOf(agent('a'.repeat(2030)))).toEqual([])
		expect(faultsOf(agent('中'.repeat(300)))).toEqual([
			'agent.yaml:4 /requires/0/connector: is over 2048 characters once it is percent-encoded',
		])
	})

	it('tells what is missing at the line of what it is missing from', () => {
		expect(faultsOf('description: x\nmodel:\n  provider: openai\n')).toEqual([
			'agent.yaml:1 /name: "name" is missing',
			'agent.yaml:2 /model/name: "name" is missing',
		])
	})

	// Proves: bundle.yaml-strict
	it('tells broken YAML, doubled members and aliases with their lines', () => {
		expect(faultsOf('name: a\nname: b\n')[0]).toMatch(/^agent\.yaml:2: Map keys must be unique/)
		expect(faultsOf('name: [a\nmodel: {')[0]).toMatch(/^agent\.yaml:\d: /)
		expect(faultsOf('name: &n a\ndescription: *n\n')).toEqual([
			'agent.yaml:2: aliases (*name) are not taken; write it out',
		])
		expect(faultsOf('name: !!js/function a\n')[0]).toMatch(/^agent\.yaml:1: Unresolved tag/)
	})

	// Proves: bundle.requires-entry
	it('takes an entry of requires exactly as its specification gives it', () => {
		const entry = `name: a
model: { provider: platform, name: m }
requires:
  - connector: https://guard.example/mcp
    scopes: []
    auth: oauth
    kind: connector
    tools: [guard_verify]
`
		expect(faultsOf(entry)).toEqual([])
		expect(faultsOf(`${entry}    note: x\n`)).toEqual([
			'agent.yaml:9 /requires/0/note: unknown member "note"',
		])
		for (const key of ['https://guard.example/mcp/guard_verify', 'guard-example-mcp/guard_verify']) {
			expect(faultsOf(`${entry}tools: { "${key}": { idempotent: true } }\n`)).toEqual([])
		}
		expect(faultsOf(`${entry}tools: { "guard-example-mcp/other": {} }\n`)[0]).toMatch(
			/^agent\.yaml:9 \/tools\/guard-example-mcp~1other: /,
		)
	})

	// Proves: connector.screen-needs-guard
	it('refuses `screen: true` where it cannot be obeyed', () => {
		const requires = (...entries: [host: string, tools: string][]) =>
			entries.map(
				([host, tools]) =>
					`  - { connector: "https://${host}/mcp", scopes: [], auth: oauth, kind: connector, tools: [${tools}] }\n`,
			)
		const agent = (entries: string[], tool = 'web-example-mcp/fetch') =>
			`name: a\nmodel: { provider: openai, name: m }\nrequires:\n${entries.join('')}tools: { "${tool}": { screen: true } }\n`
		const web = requires(['web.example', 'fetch'])
		const guard = requires(['guard.example', 'guard_verify, guard_screen'])
		const other = requires(['other.example', 'guard_screen'])
		expect(faultsOf(agent([...web, ...guard]))).toEqual([])
		expect(faultsOf(agent([...web, ...guard]).replace('true', 'false'))).toEqual([])
		expect(faultsOf(agent(web).replace('true', 'false'))).toEqual([])
		expect(faultsOf(agent(web))).toEqual([
			'agent.yaml:5 /tools/web-example-mcp~1fetch/screen: needs the guard: `requires` lists guard_screen at no connector',
		])
		expect(faultsOf(agent([...web, ...guard, ...other]))).toEqual([
			'agent.yaml:7 /tools/web-example-mcp~1fetch/screen: needs one guard: `requires` lists guard_screen at 2 connectors',
		])
		expect(faultsOf(agent(guard, 'guard-example-mcp/guard_screen'))).toEqual([
			'agent.yaml:5 /tools/guard-example-mcp~1guard_screen/screen: the guard does not screen itself',
		])
	})

	// Proves: bundle.tool-settings-once
	it('refuses two entries for one tool, however they are spelled', () => {
		const text = (a: string, b: string) =>
			`name: a\nmodel: { provider: openai, name: m }\nrequires:\n  - { connector: "https://x.example/mcp", scopes: [], auth: none, kind: connector, tools: [t] }\ntools:\n  "${a}": { approval: required }\n  "${b}": { idempotent: true }\n`
		const spellings = ['x-example-mcp/t', 'https://x.example/mcp/t', 'https://X.example:443/mcp//t']
		for (const a of spellings) {
			for (const b of spellings.filter((spelling) => spelling !== a)) {
				const path = `/tools/${b.replaceAll('/', '~1')}`
				expect(faultsOf(text(a, b))).toEqual([
					`agent.yaml:7 ${path}: is the tool of "${a}" again: write one entry`,
				])
			}
		}
	})

	// Proves: bundle.connector-once
	it('refuses the same connector twice, however it is written', () => {
		const entry = (url: string) =>
			`  - { connector: "${url}", scopes: [], auth: none, kind: connector, tools: [t, t] }\n`
		const text = `name: a\nmodel: { provider: openai, name: m }\nrequires:\n${entry('https://X.example/mcp')}${entry('https://x.example:443/mcp/')}`
		expect(faultsOf(text)).toEqual([
			'agent.yaml:4 /requires/0/tools/1: "t" is listed twice',
			'agent.yaml:5 /requires/1/connector: is the connector of entry 0 again',
			'agent.yaml:5 /requires/1/tools/1: "t" is listed twice',
		])
	})

	// Proves: bundle.schema-faults
	it('finds faults inside the schemas of inputs and output', () => {
		const text = `name: a
model: { provider: openai, name: m }
inputs:
  type: object
  properties:
    a: { type: strin }
    b:
      pattern: "("
output: { $ref: "#/$defs/none" }
`
		expect(faultsOf(text)).toEqual([
			'agent.yaml:6 /inputs/properties/a/type: type must be one or several of array, boolean, integer, null, number, object, string',
			'agent.yaml:8 /inputs/properties/b/pattern: "(" is no regular expression',
			'agent.yaml:9 /output/$ref: "#/$defs/none" leads nowhere; a reference stays inside the schema (#/…)',
		])
	})

	// Proves: bundle.published-schema
	it('has a published JSON Schema that is current (npm run generate)', () => {
		expect(JSON.parse(readFileSync('bundles/agent.schema.json', 'utf8'))).toEqual(agentJsonSchema())
	})
})

// Proves: bundle.all-faults
it('what is wrong in meaning is told beside unknown members and wrong values of the same member', () => {
	const entry = (more: string) =>
		`  - { connector: "https://a.example/mcp", scopes: [], auth: none, kind: connector, ${more} }\n`
	expect(
		faultsOf(
			`name: a
model: { provider: openai, name: m, tempratur: 1, web_search: { max_uses: 3 }, api: chat }
requires:
${entry('tools: [x, x], extra: 1')}${entry('tools: [y]')}limits: { stepps: 3 }
tools: { "a-example-mcp/zz": { screen: 7 } }
inputs: { type: array }
`,
		),
	).toEqual([
		'agent.yaml:2 /model/tempratur: unknown member "tempratur"',
		'agent.yaml:4 /requires/0/extra: unknown member "extra"',
		'agent.yaml:6 /limits/stepps: unknown member "stepps"',
		'agent.yaml:7 /tools/a-example-mcp~1zz/screen: must be true or false, not a number',
		'agent.yaml:8 /inputs/type: inputs must have `type: object`',
		'agent.yaml:4 /requires/0/tools/1: "x" is listed twice',
		'agent.yaml:5 /requires/1/connector: is the connector of entry 0 again',
		'agent.yaml:7 /tools/a-example-mcp~1zz: "a-example-mcp/zz" names no tool of `requires` (write <connector name or URL>/<tool>)',
		expect.stringMatching(/^agent\.yaml:2 \/model\/web_search: has max_uses/),
	])
})

// Proves: bundle.all-faults
it('a wrong tool hides neither the rules of the entries of requires nor those of settings', () => {
	const entry = (host: string, tools: string) =>
		`  - { connector: "https://${host}/mcp", scopes: [], auth: none, kind: connector, tools: ${tools} }\n`
	expect(
		faultsOf(
			`name: a
model: { provider: openai, name: m }
requires:
${entry('a.example', '[x, 5, x]')}${entry('a.example', '[y]')}tools: { "a-example-mcp/x": { approval: required }, "b/c": {} }
`,
		),
	).toEqual([
		'agent.yaml:4 /requires/0/tools/1: must be a string, not a number',
		'agent.yaml:4 /requires/0/tools/2: "x" is listed twice',
		'agent.yaml:5 /requires/1/connector: is the connector of entry 0 again',
		'agent.yaml:6 /tools/b~1c: "b/c" names no tool of `requires` (write <connector name or URL>/<tool>)',
	])
})

// Proves: bundle.all-faults
it('a wrong provider hides no other fault of its model, of its fallbacks, or of further models', () => {
	expect(
		faultsOf(`name: a
model:
  - { provider: opnai, name: '', tempratur: 1, temperature: 9 }
  - { nam: m }
models:
  deep: { provider: x, effort: 7, name: m, parameters: { provider: .nan } }
  __proto__: { provider: x }
limits: { steps: 0 }
`),
	).toEqual([
		'agent.yaml:3 /model/0/provider: must be one of openai, anthropic, platform',
		'agent.yaml:6 /models/deep/provider: must be one of openai, anthropic, platform',
		'agent.yaml:4 /model/1/provider: "provider" is missing: it must be one of openai, anthropic, platform',
		'agent.yaml:3 /model/0/name: must not be empty',
		'agent.yaml:3 /model/0/temperature: must be at most 2',
		'agent.yaml:4 /model/1/name: "name" is missing',
		'agent.yaml:4 /model/1/nam: unknown member "nam"',
		'agent.yaml:3 /model/0/tempratur: unknown member "tempratur"',
		'agent.yaml:6 /models/deep/effort: must be one of none, minimal, low, medium, high, xhigh, max',
		'agent.yaml:6 /models/deep/parameters/provider: must be a JSON value',
		'agent.yaml:8 /limits/steps: must be at least 1',
	])
	expect(({} as { provider?: string }).provider).toBeUndefined()
})

// Proves: bundle.all-faults
it('a wrong entry of `http` or `requires` hides no other fault of it, nor of the entries beside it', () => {
	expect(
		faultsOf(`name: a
model: { provider: openai, name: m }
http:
  https://a.example.com/v1: { methods: [TRACE], headers: { Host: x, Y: 5 } }
  ftp://b.example.com:
  https://c.example.com: { headers: { A B: x } }
requires:
  - { connector: "https://a.example/mcp", kind: tool, tools: [x, x] }
tools: { b/c: {} }
`),
	).toEqual([
		'agent.yaml:8 /requires/0/scopes: "scopes" is missing',
		'agent.yaml:8 /requires/0/auth: must be one of oauth, bearer, none',
		'agent.yaml:8 /requires/0/kind: must be connector',
		'agent.yaml:4 /http/https:~1~1a.example.com~1v1/methods/0: must be one of GET, HEAD, POST, PUT, PATCH, DELETE',
		'agent.yaml:4 /http/https:~1~1a.example.com~1v1/headers/Y: must be a string, not a number',
		'agent.yaml:5 /http/ftp:~1~1b.example.com: must be an object, not null',
		'agent.yaml:6 /http/https:~1~1c.example.com/methods: "methods" is missing',
		'agent.yaml:8 /requires/0/tools/1: "x" is listed twice',
		'agent.yaml:9 /tools/b~1c: "b/c" names no tool of `requires` (write <connector name or URL>/<tool>)',
		'agent.yaml:4 /http/https:~1~1a.example.com~1v1: must be an origin, without path, user name and standard port: write https://a.example.com',
		'agent.yaml:4 /http/https:~1~1a.example.com~1v1/headers/Host: is set by Berth itself',
		'agent.yaml:5 /http/ftp:~1~1b.example.com: must be an origin, such as https://api.example.com',
		'agent.yaml:6 /http/https:~1~1c.example.com/headers/A B: is no name of a header',
	])
})

// Proves: bundle.all-faults
it('lists and names of models that are wrong are told in the words of what is written', () => {
	const told = (yaml: string) => faultsOf(`name: a\n${yaml}`).map((line) => line.replace('agent.yaml:', ''))
	const list = 'must be a model, or a list of 1 to 4 models, each with provider and name'
	const one = '{ provider: openai, name: m }'
	expect(told('model: []\n')).toEqual([`2 /model: ${list}`])
	expect(told('model: [gpt-5, gpt-4]\n')).toEqual([`2 /model: ${list}`])
	expect(told(`model:\n${`  - ${one}\n`.repeat(5)}`)).toEqual(['2 /model: a model has at most 3 fallbacks'])
	expect(told(`model: ${one}\nmodels: { B: ${one}, c: [] }\n`)).toEqual([
		'3 /models/B: the name of a model is 1–63 of a–z, 0–9, - and _',
		`3 /models/c: ${list}`,
	])
	// What is wrong in meaning stands also where the member beside it is wrong.
	expect(
		told('model: { provider: x, name: m }\nmodels: { d: { provider: anthropic, name: m, seed: 4 } }\n'),
	).toEqual([
		'2 /model/provider: must be one of openai, anthropic, platform',
		expect.stringMatching(/^3 \/models\/d\/seed: is no option of Anthropic's `messages`/),
	])
})
