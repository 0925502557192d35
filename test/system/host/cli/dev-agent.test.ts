// `berth dev`: the working tree on a private host, over the shipped command line. The host's data is kept between tests.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { newAgent } from '../../../../bundles/index.ts'
import { berth, launcher } from '../../../kit/berth.ts'
import { descendants } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'

const key = 'sk-marked-key-of-the-owner'
const tool = (more: string) => `import { tool } from 'berth'
export const shout = tool<{ text: string }>({
	description: 'Says it loudly.',
	input: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
	run: ({ text }) => ${more},
})
`
let model: ModelServer
let folder: string
let env: Record<string, string>

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), 'berth-dev-'))
	const files = Object.fromEntries(newAgent('team', 'team'))
	write({ ...files, 'writer/skills/s/SKILL.md': '---\nname: s\ndescription: d\n---\n' })
	write({ 'writer/skills/s/tools.ts': tool('text.toUpperCase()') })
	const writing = [
		{ text: 'I ask.', calls: [{ name: 'researcher', input: { question: 'What is tea?' } }] },
		{ calls: [{ name: 'shout', input: { text: 'tea' } }] },
		{ text: 'Tea is a plant.' },
	]
	model = await startModelServer(
		{
			slow: { text: 'Never.', delayMs: 60_000 },
			'gpt-5-mini': ({ body, turn }) =>
				JSON.stringify(body).includes('would bet on')
					? { text: '{"facts":[{"fact":"a plant","sure":true}]}' }
					: (writing[turn] ?? {}),
		},
		{ key },
	)
	env = { XDG_STATE_HOME: join(folder, '.state') }
})
afterAll(async () => {
	await model?.close()
	rmSync(folder, { recursive: true, force: true })
})

function write(files: Record<string, string>): void {
	for (const [path, text] of Object.entries(files)) {
		mkdirSync(dirname(join(folder, path)), { recursive: true })
		writeFileSync(join(folder, path), text)
	}
}

/** One that has ended may still wait for its parent to read how. */
function lives(pid: number): boolean {
	const file = `/proc/${pid}/stat`
	return existsSync(file) && !/\) Z /.test(readFileSync(file, 'utf8'))
}

// Proves: develop.dev, develop.dev-team, develop.dev-key
test('two agents run on a private host with the key of the environment, which nothing keeps', async () => {
	const { code, stdout, stderr } = await berth(
		['dev', 'writer', 'researcher', '--input', 'subject=tea', '--once', '--record', 'answers.json'],
		{ cwd: folder, env: { ...env, OPENAI_API_KEY: key, OPENAI_BASE_URL: model.openaiUrl } },
	)
	expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/Console.*\/sign-in\?link=/) })
	const lines = stdout.replace(/\(\d+ ms\)/g, '(ms)').split('\n')
	expect(lines.slice(1)).toEqual([
		'  model  gpt-5-mini',
		'         I ask.',
		'         20 + 10 tokens (ms)',
		'  tool   researcher {"question":"What is tea?"}',
		'         → {"facts":[{"fact":"a plant","sure":true}]} (ms)',
		'  model  gpt-5-mini',
		'         20 + 10 tokens (ms)',
		'  tool   shout {"text":"tea"}',
		'         → TEA (ms)',
		'  model  gpt-5-mini',
		'         Tea is a plant.',
		'         20 + 10 tokens (ms)',
		'✔ succeeded',
		'',
	])
	expect(model.requests.map(({ headers }) => headers.authorization)).toEqual(
		model.requests.map(() => `Bearer ${key}`),
	)
	const kept = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
	expect(kept.length).toBeGreaterThan(100)
	const having = kept.filter((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(key))
	expect(having.map(({ name }) => name)).toEqual([])
})

// Proves: develop.dev-save, develop.dev-replay, develop.dev-types
test('a save is built and run with recorded answers, and a fault leaves the version before', async () => {
	const before = model.requests.length
	const args = ['dev', 'writer', 'researcher', '--inputs', '-', '--watch', '--replay', 'answers.json']
	const child = spawn(process.execPath, [launcher, ...args], {
		cwd: folder,
		env: { PATH: process.env.PATH, HOME: '/nonexistent', ...env },
	})
	// Read once: each save runs with the same inputs.
	child.stdin.end('{"subject":"tea"}')
	const exited = once(child, 'exit')
	let said = ''
	for (const stream of [child.stdout, child.stderr])
		stream.setEncoding('utf8').on('data', (text: string) => (said += text))
	const seen = (text: string | RegExp) =>
		vi.waitFor(() => expect(said).toMatch(text), { timeout: 60_000, interval: 50 })
	try {
		await seen(/→ TEA[\s\S]*✔ succeeded[\s\S]*Ctrl-C ends/)
		expect(said).toContain('version 1\n')
		write({ 'writer/skills/s/tools.ts': tool('text.length') })
		await seen(/→ 3 [\s\S]*✔ succeeded\n.* ms from the save to the result/)
		expect(said).toContain('the request has changed since it was recorded; answer 3 is the recorded one')
		write({ 'writer/skills/s/tools.ts': tool('text +') })
		await seen(/✖ writer\/skills\/s\/tools\.ts:5: Unexpected ","\n {2}version 2 goes on/)
		write({ 'writer/skills/s/tools.ts': tool('missing(text)') })
		await seen(/✖ writer\/skills\/s\/tools\.ts:5: Cannot find name 'missing'/)
		await seen(/✗ missing is not defined[\s\S]*at .*\(?writer\/skills\/s\/tools\.ts:5:21/)
		const below = descendants(child.pid as number)
		expect(below.length).toBeGreaterThan(3)
		child.kill('SIGINT')
		expect(await exited).toEqual([0, null])
		await expect.poll(() => below.filter(lives)).toEqual([])
		expect(model.requests.length).toBe(before)
	} finally {
		child.kill('SIGKILL')
	}
})

// Proves: develop.dev-interrupted
test('Ctrl-C while the model is asked ends `--once` with 130, and no attempt follows', async () => {
	const before = model.requests.length
	write({ 'slow/agent.yaml': 'name: slow\nmodel: { provider: openai, name: slow }\nprompt: prompt.md\n' })
	write({ 'slow/prompt.md': 'Answer.\n' })
	const child = spawn(process.execPath, [launcher, 'dev', 'slow', '--once'], {
		cwd: folder,
		env: {
			...{ PATH: process.env.PATH, HOME: '/nonexistent', ...env },
			...{ OPENAI_API_KEY: key, OPENAI_BASE_URL: model.openaiUrl },
		},
	})
	const exited = once(child, 'exit')
	let said = ''
	for (const stream of [child.stdout, child.stderr])
		stream.setEncoding('utf8').on('data', (text: string) => (said += text))
	try {
		await vi.waitFor(() => expect(model.requests.length).toBe(before + 1), { timeout: 60_000 })
		child.kill('SIGINT')
		expect(await exited).toEqual([130, null])
		expect(said).not.toMatch(/void|undefined|answers at/)
		expect(model.requests.length).toBe(before + 1)
	} finally {
		child.kill('SIGKILL')
	}
})

// Proves: develop.dev-replay, develop.dev-begin
test('a run with files is replayed as it was recorded, and what is missing is told before anything starts', async () => {
	write({
		'reader/agent.yaml':
			'name: reader\nmodel: { provider: openai, name: gpt-5-mini }\ninputs: { type: object, required: [note, paper], properties: { note: { type: string }, paper: { type: file } } }\n',
		'reader/prompt.md': 'Read.\n',
		'paper.csv': 'a,b\n',
	})
	const keys = { ...env, OPENAI_API_KEY: key, OPENAI_BASE_URL: model.openaiUrl }
	const dev = (given: string[], all: Record<string, string> = keys) =>
		berth(['dev', 'reader', '--once', ...given], { cwd: folder, env: all })
	const inputs = ['--input', 'note=x', '--file', 'paper=paper.csv']
	const recorded = await dev([...inputs, '--record', 'reader.json'])
	expect([recorded.code, recorded.stdout]).toEqual([0, expect.stringContaining('I ask.')])
	const replayed = await dev([...inputs, '--replay', 'reader.json'], env)
	expect(replayed).toMatchObject({ code: 0, stdout: expect.stringContaining('I ask.') })
	expect(replayed.stdout + replayed.stderr).not.toContain('has changed')
	expect(await dev([])).toMatchObject({
		code: 2,
		stderr: expect.stringContaining('reader takes inputs: --input note=… --file paper=PATH\n'),
	})
	const misspelt = await dev(['--input', 'note'])
	expect([misspelt.code, misspelt.stderr]).toEqual([
		2,
		expect.stringMatching(/^berth: --input takes NAME=VALUE/),
	])
	const before = model.requests.length
	for (const [given, all, code, says] of [
		[inputs, env, 1, 'berth: OPENAI_API_KEY is not set. Set it, or start a model server'],
		[
			[...inputs, '--provider-key-env', 'nope=OPENAI_API_KEY'],
			keys,
			2,
			"--provider-key-env nope=OPENAI_API_KEY: the agent's keys are none with a name: write --provider-key-env VAR",
		],
		[[...inputs, '--provider-key-env', 'NOPE'], keys, 1, 'berth: the environment variable NOPE is not set\n'],
	] as const) {
		const { stderr, ...ended } = await dev([...given], all)
		expect({ ...ended, stderr }).toMatchObject({ code, stderr: expect.stringContaining(says) })
		expect(stderr).not.toContain('Ready after')
	}
	expect(model.requests.length).toBe(before)
})

// Proves: develop.dev, develop.dev-types
test('`--once` shows what the program returned, and waits for the types of what it ran', async () => {
	write({
		'plain/agent.yaml': 'name: plain\nmodel: { provider: openai, name: gpt-5-mini }\n',
		'plain/prompt.md': 'Answer.\n',
		'plain/agent.ts':
			"import { agent } from 'berth'\nconst n: number = 'x'\nexport default agent(async () => 'PROGRAM\\nSAYS ' + n)\n",
	})
	const { code, stdout } = await berth(['dev', 'plain', '--once'], {
		cwd: folder,
		env: { ...env, OPENAI_API_KEY: key, OPENAI_BASE_URL: model.openaiUrl },
	})
	const lines = stdout.trimEnd().split('\n')
	const fault = "✖ plain/agent.ts:2: Type 'string' is not assignable to type 'number'."
	// The types are checked beside the run: their line may be the first.
	expect([code, lines.filter((line) => line !== fault)]).toEqual([
		0,
		[expect.stringMatching(/^▶ run_/), '✔ succeeded', '  PROGRAM', '  SAYS x'],
	])
	expect(lines).toContain(fault)
})

// Proves: develop.dev-begin
test('a folder that is none is told in one line', async () => {
	for (const args of [
		['dev', 'nosuch'],
		['dev', 'writer', 'nosuch'],
		['test', 'nosuch'],
	])
		expect(await berth(args, { cwd: folder, env })).toMatchObject({
			code: 1,
			stderr: 'berth: there is no folder nosuch\n',
		})
})

// Proves: develop.dev-models
test('an agent with a fallback and a named model runs, each with its key, and again from the recording', async () => {
	// The first server does not know its model.
	const first = await startModelServer({}, { key: 'key-of-first' })
	const second = await startModelServer(
		{ second: ({ body }) => ({ text: JSON.stringify(body).includes('deep') ? 'Deep.' : 'Well.' }) },
		{ key: 'key-of-second' },
	)
	const at = (name: string, { openaiUrl }: ModelServer, more = '') =>
		`{ provider: openai, name: ${name}, base_url: "${openaiUrl}"${more} }`
	write({
		'several/agent.yaml': `name: several\nmodel:\n  - ${at('first', first)}\n  - ${at('second', second, ', key: second')}\nmodels:\n  deep: ${at('second', second, ', key: second')}\n`,
		'several/prompt.md': 'Answer.\n',
		'several/agent.ts':
			"import { agent } from 'berth'\nexport default agent(async (_, ctx) => (await ctx.model('hello')).text + (await ctx.model('deep', { model: 'deep' })).text)\n",
	})
	const dev = (...more: string[]) =>
		berth(['dev', 'several', '--once', '--json', ...more], { cwd: folder, env: keys })
	const keys = { ...env, FIRST: 'key-of-first', SECOND: 'key-of-second' }
	try {
		const named = ['--provider-key-env', 'FIRST', '--provider-key-env', 'second=SECOND']
		const ran = await dev(...named, '--record', 'several.json')
		expect(ran.stdout).toContain('Well.Deep.')
		expect([first, second].map(({ requests }) => requests.length)).toEqual([1, 2])
	} finally {
		await first.close()
		await second.close()
	}
	expect((await dev('--replay', 'several.json')).stdout).toContain('Well.Deep.')
})
