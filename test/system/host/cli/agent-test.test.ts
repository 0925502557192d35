// `berth test`: tests of agents, in the engine and sandbox of a host, over the shipped command line.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import vm from 'node:vm'
import { expect, test } from 'vitest'
import { newAgent } from '../../../../bundles/index.ts'
import { bundleOf, deploy, run } from '../../../kit/agent.ts'
import { berth, temporary } from '../../../kit/berth.ts'
import { standardTools, startMcpServer } from '../../../kit/mcp-server.ts'
import { startModelServer } from '../../../kit/model-server.ts'
import { minimal } from '../../../kit/repository.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

interface Report {
	passed: number
	failed: number
	tests: { name: string; file: string; line: number; ok: boolean; error?: string }[]
}

function lay(folder: string, files: Record<string, string>): string {
	for (const [path, text] of Object.entries(files)) {
		mkdirSync(dirname(join(folder, path)), { recursive: true })
		writeFileSync(join(folder, path), text)
	}
	return folder
}

async function tested(folder: string, ...options: string[]): Promise<Report> {
	const { stdout, stderr } = await berth(['test', folder, '--json', ...options], { cwd: folder })
	expect(stderr).toBe('')
	return JSON.parse(stdout) as Report
}

// Proves: develop.templates, develop.test
test('every template and example passes its tests, and so do plain tests of tools.ts', async () => {
	const folder = temporary()
	for (const template of ['tools', 'chat', 'program'] as const)
		lay(join(folder, template), Object.fromEntries(newAgent(`a-${template}`, template)))
	const made = await berth(['init', join(folder, 'team'), '--template', 'team'])
	expect(made.stdout).toContain('berth dev writer researcher')
	cpSync('bundles/examples/article-desk', join(folder, 'article-desk'), { recursive: true })
	const { passed, failed, tests } = await tested(folder)
	expect({ passed, failed }).toEqual({ passed: 12, failed: 0 })
	const first = tests.find(({ name }) => name === 'the answer comes from the tool')
	expect(first).toMatchObject({ file: 'tools/agent.test.ts', line: 6, ok: true })
	expect(readFileSync(join(folder, 'team/writer/types/agent.d.ts'), 'utf8')).toContain('"researcher"')
})

// Proves: file.test, bundle.examples
test('an agent is given files with their bytes, and the ones that it made are shown', async () => {
	const folder = temporary()
	cpSync('bundles/examples/receipt-reader', folder, { recursive: true })
	expect(await tested(folder)).toMatchObject({ passed: 1, failed: 0 })
})

// Proves: develop.test-faults
test('faults of an agent, its types and its tests are told with file and line, and no test runs', async () => {
	const folder = lay(temporary(), {
		...minimal,
		'agent.yaml': `${minimal['agent.yaml']}limits: { stepz: 1 }\n`,
		'agent.ts': "import { agent } from 'berth'\nexport default agent(async (_, ctx) => ctx.mode('x'))\n",
		'agent.test.ts': "import { run } from 'berth/test'\nawait run({}, { model: 1 })\n",
	})
	const { code, stdout, stderr } = await berth(['test', folder])
	expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
	expect(stderr.split('\n').sort().slice(1)).toEqual([
		expect.stringMatching(/^berth: agent\.test\.ts:2: Type 'number' is not assignable to type 'Model'/),
		expect.stringMatching(/^berth: agent\.ts:2: Property 'mode' does not exist on type 'Context'/),
		expect.stringMatching(/^berth: agent\.yaml:3 \/limits\/?/),
	])
	const empty = await berth(['test', lay(temporary(), minimal)])
	expect(empty).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('write agent.test.ts beside the agent'),
	})
})

const connector = 'https://tools.example.com/mcp'
const asking = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run, script } from 'berth/test'
const model = script([{ calls: [{ name: 'look', input: { q: 1 } }] }, 'done'])
test('no tool', () => run({ q: 'x' }, { model }))
test('no such tool', () => run({ q: 'x' }, { model, tools: { other: 1 } as never }))
test('too few answers', () => run({ q: 'x' }, { model: script([]) }))
test('no decision', () => run({ q: 'ask' }, { model }))
test('wrong inputs', () => run({} as never, { model }))
test('no response', () => run({ q: 'fetch' }, { model }))
test('a program that fails', () => run({ q: 'throw' }, { model }))
test('decided, kept and logged', async () => {
	const http = ({ headers }: { headers: { [name: string]: string } }) => ({ status: 201, json: headers.authorization })
	assert.deepEqual((await run({ q: 'fetch' }, { model, http })).output, '201 "[redacted]"')
	const { output, memory, logs, calls, usage } = await run({ q: 'ask' }, {
		model: () => 'no answer',
		approve: ({ question }) => ({ approved: question === 'Really?', note: 'fine' }),
		memory: { 'before.md': 'b' },
	})
	assert.deepEqual([output, memory, calls], ['fine', { 'before.md': 'b', 'after.md': 'fine' }, []])
	assert.deepEqual(logs, [{ level: 'info', message: 'decided' }])
	assert.equal(usage.model_calls, 0)
})
`
const program = `import { agent } from 'berth'
export default agent(async ({ q }, ctx) => {
	if (q === 'throw') throw new Error('boom')
	if (q === 'fetch') {
		const { status, json } = await ctx.http({ url: 'https://crm.example.com/notes' })
		return status + ' ' + JSON.stringify(json)
	}
	if (q === 'ask') {
		const { note } = await ctx.approve('Really?', { n: 7 })
		await ctx.memory.write('after.md', String(note))
		ctx.log('decided')
		return note
	}
	return ctx.loop()
})
`

// Proves: develop.test-explains
test('a test that leaves something out fails with what to write', async () => {
	const folder = lay(temporary(), {
		...minimal,
		'agent.yaml': `${minimal['agent.yaml']}inputs: { type: object, required: [q], properties: { q: { type: string } } }
requires: [{ connector: "${connector}", scopes: [], auth: bearer, kind: connector, tools: [look] }]
http: { "https://crm.example.com": { methods: [GET], headers: { Authorization: "{{secret.crm}}" } } }
`,
		'agent.ts': program,
		'agent.test.ts': asking,
	})
	const { passed, tests } = await tested(folder)
	expect(passed).toBe(1)
	expect(Object.fromEntries(tests.map(({ name, error }) => [name, error]))).toEqual({
		'no tool': `the agent calls look of ${connector} with {"q":1}; say what it answers: run(inputs, { tools: { look: … } })`,
		'no such tool': expect.stringContaining('agent.yaml requires no tool other (it requires: look)'),
		'too few answers': expect.stringMatching(/^the script has 0 answers, and .* the last message is user: /),
		'no decision': expect.stringContaining(
			'the agent asks "Really?" with {"question":"Really?","data":{"n":7}}; say what',
		),
		'no response': expect.stringContaining(
			'the agent sends GET https://crm.example.com/notes; say what is answered',
		),
		'wrong inputs': 'the inputs do not fit agent.yaml: /q is required',
		'a program that fails': expect.stringMatching(/^boom \(agent_error\)\n[\s\S]*agent\.ts:3:/),
		'decided, kept and logged': undefined,
	})
})

/** What must be given to make one of them. */
const instances: Record<string, string> = {
	TextEncoder: 'new TextEncoder()',
	TextDecoder: 'new TextDecoder()',
	AbortSignal: 'new AbortController().signal',
	AbortController: 'new AbortController()',
	URLSearchParams: "new URLSearchParams('')",
	URL: "new URL('https://a.example/')",
}

// Proves: develop.isolate-types
test('the types name the globals of the isolate with their members, and no others', async () => {
	const declared = readFileSync('bundles/types/globals.d.ts', 'utf8')
	const names = [...declared.matchAll(/^declare (?:var|function|class) (\w+)/gm)].map(
		([, name]) => name ?? '',
	)
	const members = (body = '') =>
		[...body.matchAll(/^\t(?:readonly )?(?!static|constructor)(\w+)\??(?:<[^>]*>)?[(:]/gm)].map(
			([, name = '']) => name,
		)
	const bodies: Record<string, string[]> = {
		console: members(/interface Console \{([\s\S]*?)^\}/m.exec(declared)?.[1]),
		crypto: ['getRandomValues', 'randomUUID'],
		performance: ['now', 'timeOrigin'],
	}
	for (const [, name = '', body] of declared.matchAll(/^declare class (\w+) \{([\s\S]*?)^\}/gm))
		bodies[name] = members(body)
	expect(Object.values(bodies).flat().length).toBeGreaterThan(60)
	const values = Object.keys(bodies).map((name) => `${name}: ${instances[name] ?? name}`)
	const statics =
		"[URL.canParse, AbortSignal.abort, AbortSignal.any].every((one) => typeof one === 'function')"
	const folder = lay(temporary(), {
		...minimal,
		'agent.yaml': `${minimal['agent.yaml']}output: { type: object }\n`,
		'agent.ts': `const values = { ${values.join(', ')} }
const bodies = ${JSON.stringify(bodies)}
export default () => ({
	globals: Object.getOwnPropertyNames(globalThis),
	missing: Object.entries(bodies).flatMap(([of, names]) => names.filter((name) => !(name in values[of])).map((name) => of + '.' + name)),
	statics: ${statics},
})`,
		'agent.test.ts': `import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { run } from 'berth/test'
test('asked', async () => writeFileSync('found.json', JSON.stringify((await run({}, { model: () => '' })).output)))`,
	})
	expect(await tested(folder, '--no-types')).toMatchObject({ passed: 1, failed: 0 })
	const found = JSON.parse(readFileSync(join(folder, 'found.json'), 'utf8'))
	const language = new Set(vm.runInNewContext('Object.getOwnPropertyNames(globalThis)') as string[])
	expect(found.globals.filter((name: string) => !language.has(name) || name === 'console').sort()).toEqual(
		names.sort(),
	)
	expect(found).toMatchObject({ missing: [], statics: true })
})

// Proves: develop.test-case
test('a recorded run with files becomes a test that has their bytes, and compares the ones it made', async () => {
	const model = await startModelServer({
		m: ({ body, turn }) => {
			const [id] = /file_[0-9a-z]{26}/.exec(JSON.stringify(body)) ?? []
			return turn === 0 ? { calls: [{ name: 'count', input: { file: id } }] } : { text: 'Counted.' }
		},
	})
	const host = await sharedHost()
	const yaml = `inputs:
  type: object
  required: [list]
  properties: { list: { type: file, accept: [text/csv] } }
output:
  type: object
  properties: { said: { type: string }, copy: { type: file } }
`
	const files = {
		'skills/s/SKILL.md': '---\nname: s\ndescription: d\n---\n',
		'skills/s/tools.ts': `import { tool } from 'berth'
export const count = tool<{ file: string }>({
	description: 'Counts',
	input: { type: 'object' },
	run: async ({ file }, ctx) => (await ctx.files.text({ file } as never)).length,
})
`,
		'agent.ts': `import { agent } from 'berth'
export default agent(async ({ list }: any, ctx) => ({
	said: await ctx.loop({ messages: [{ role: 'user', content: 'Count.', files: [list] }] }),
	copy: await ctx.files.create('copy.csv', 'text/csv', await ctx.files.text(list)),
}))
`,
	}
	const account = await host.account()
	const bundle = await bundleOf({
		model: `{ provider: openai, name: m, base_url: "${model.openaiUrl}" }`,
		yaml,
		files,
	})
	const at = await deploy(host, account, bundle)
	const folder = lay(temporary(), {
		'agent.yaml': `name: counter\nmodel: { provider: openai, name: m }\n${yaml}`,
		'prompt.md': 'Count.\n',
		...files,
	})
	const list = join(temporary(), 'list.csv')
	writeFileSync(list, 'item,price\ntea,3\n')
	const env = { BERTH_URL: host.url, BERTH_TOKEN: account.token }
	const ran = await berth(['run', at.name, '--file', `list=${list}`, '--json'], { env })
	const { id } = JSON.parse(ran.stdout)
	const kept = await berth(['test', folder, '--from', id, '--json'], { env })
	expect(JSON.parse(kept.stdout)).toMatchObject({
		inputs: { list: { name: 'list.csv', type: 'text/csv', kept: `${id}.files/1` } },
		output: { said: 'Counted.', copy: { name: 'copy.csv', type: 'text/csv', size: 17 } },
	})
	const asked = model.requests.length
	expect((await tested(folder)).tests).toMatchObject([{ name: `${id} (recorded)`, ok: true }])
	const bytes = join(folder, 'cases', `${id}.files`, '1')
	writeFileSync(bytes, 'item\n')
	const says = async (text: string) =>
		// Whose types were checked just before.
		expect(await berth(['test', folder, '--no-types'])).toMatchObject({
			code: 1,
			stdout: expect.stringContaining(text),
		})
	await says(`cases/${id}.files/1 has other bytes than the run was given`)
	const file = join(folder, 'cases', `${id}.json`)
	writeFileSync(file, readFileSync(file, 'utf8').replace(/"sha256": "\w+",\s*("kept")/, '$1'))
	await says('+     size: 5')
	rmSync(bytes)
	await says(`the case needs cases/${id}.files/1; commit it`)
	expect(model.requests.length).toBe(asked)
	await host.close()
	await model.close()
})

// Proves: develop.test-case
test('a recorded run becomes a test that calls nobody', async () => {
	const model = await startModelServer({
		m: [
			{
				calls: [
					{ name: 'echo', input: { text: 'a' } },
					{ name: 'double', input: { n: 2 } },
				],
			},
			{ text: 'four' },
		],
	})
	const tools = await startMcpServer({ tools: standardTools })
	const host = await sharedHost()
	const files = {
		'skills/s/SKILL.md': '---\nname: s\ndescription: d\n---\n',
		'skills/s/tools.ts': `import { tool } from 'berth'
export const double = tool<{ n: number }>({ description: 'd', input: { type: 'object' }, run: ({ n }) => 2 * n })
`,
	}
	const yaml = `requires: [{ connector: "${tools.url}", scopes: [], auth: none, kind: connector, tools: [echo] }]\n`
	const account = await host.account()
	const at = await deploy(
		host,
		account,
		await bundleOf({ model: `{ provider: openai, name: m, base_url: "${model.openaiUrl}" }`, yaml, files }),
	)
	const { id } = (await run(host, at)).body
	const folder = lay(temporary(), {
		'agent.yaml': `name: greeter\nmodel: { provider: openai, name: m }\n${yaml}`,
		'prompt.md': 'Greet people.\n',
		...files,
	})
	const env = { BERTH_URL: host.url, BERTH_TOKEN: account.token }
	const kept = await berth(['test', folder, '--from', id, '--json'], { env })
	expect(JSON.parse(kept.stdout)).toMatchObject({ run: id, tools: { echo: [{ ok: true, output: 'a' }] } })
	const asked = [model.requests.length, tools.calls.length]
	expect((await tested(folder)).tests).toMatchObject([{ name: `${id} (recorded)`, ok: true }])
	// What the agent itself does is done again.
	lay(folder, { 'skills/s/tools.ts': `${files['skills/s/tools.ts']}throw new Error('broken')\n` })
	expect(await berth(['test', folder])).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('broken'),
	})
	expect([model.requests.length, tools.calls.length]).toEqual(asked)
	await host.close()
	await Promise.all([model.close(), tools.close()])
})
