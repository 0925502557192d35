import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StoredFile } from '../../../../host/api/files.ts'
import type { ReplayReport } from '../../../../host/api/replay.ts'
import { bundleOf, deploy, type Running, run, until, withSql } from '../../../kit/agent.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { type McpServer, startMcpServer } from '../../../kit/mcp-server.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { runtimeOf } from '../../../kit/pair.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

// What models and programs are given of files, on the wire of each provider, and after a crash.

let host: TestHost
let models: ModelServer
let tools: McpServer
let account: TestAccount

const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), randomBytes(2_000)])
const pdf = Buffer.from('%PDF-1.7\nan invoice\n')
const csv = Buffer.from('item,price\ntea,3\n')
const base64 = (bytes: Buffer) => bytes.toString('base64')

beforeAll(async () => {
	models = await startModelServer({
		m: { text: 'Seen.' },
		caller: [{ calls: [{ name: 'camera', input: {} }] }, { text: 'Seen.' }],
		slow: ({ count }: { count: number }) => ({ text: 'Seen.', delayMs: count === 0 ? 60_000 : 0 }),
	} as never)
	tools = await startMcpServer({
		tools: [
			{
				name: 'camera',
				description: 'Takes a picture.',
				run: () => ({
					content: [
						{ type: 'text', text: 'Here it is.' },
						{ type: 'image', mimeType: 'image/png', data: base64(png) },
						{
							type: 'resource',
							resource: { uri: 'file:///a/bill.pdf', mimeType: 'application/pdf', blob: base64(pdf) },
						},
						{ type: 'audio', mimeType: 'audio/wav', data: base64(Buffer.from('RIFF0000WAVEfmt ')) },
						{ type: 'image', mimeType: 'image/png', data: base64(Buffer.from('no picture')) },
					],
				}),
			},
		],
	})
	host = await sharedHost()
	account = await host.account({ plan: 'team' })
})
afterAll(async () => {
	await host?.close()
	await Promise.all([models?.close(), tools?.close()])
})

const apis = {
	responses: (name: string) =>
		`{ provider: openai, name: ${name}, base_url: "${models.openaiUrl}", api: responses }`,
	chat: (name: string) => `{ provider: openai, name: ${name}, base_url: "${models.openaiUrl}", api: chat }`,
	messages: (name: string) => `{ provider: anthropic, name: ${name}, base_url: "${models.url}" }`,
}
type Api = keyof typeof apis
const made = async (model: string, yaml: string, files: Record<string, string> = {}) =>
	deploy(host, account, await bundleOf({ model, yaml, files }))
const put = async (at: Running, bytes: Buffer, type: string, name: string) =>
	(
		await host.call<StoredFile>(`${at.url}/files?name=${name}`, {
			method: 'POST',
			token: at.run_key,
			body: new Blob([new Uint8Array(bytes)]),
			headers: { 'content-type': type },
		})
	).body
const sent = (name: string) =>
	models.requests.filter(({ body }) => body.model === name).at(-1)?.body as Record<
		string,
		{ content: unknown }[]
	>

const inputs = `inputs:
  type: object
  properties:
    question: { type: string }
    photo: { type: file, accept: [image/*] }
    papers: { type: array, items: { type: file } }
`
const labelOf = ({ file, name, type, size }: StoredFile) =>
	`File "${name}" (${file}, ${type}, ${size} bytes):`

// Proves: file.shown
test.each<[Api, (text: string, files: StoredFile[]) => unknown]>([
	[
		'responses',
		(text, [photo, bill, list]) => [
			{ type: 'input_text', text },
			{ type: 'input_text', text: labelOf(photo as StoredFile) },
			{ type: 'input_image', image_url: `data:image/png;base64,${base64(png)}`, detail: 'auto' },
			{ type: 'input_text', text: labelOf(bill as StoredFile) },
			{ type: 'input_file', filename: 'bill.pdf', file_data: `data:application/pdf;base64,${base64(pdf)}` },
			{ type: 'input_text', text: labelOf(list as StoredFile) },
			{ type: 'input_text', text: csv.toString() },
		],
	],
	[
		'chat',
		(text, [photo, bill, list]) => [
			{ type: 'text', text },
			{ type: 'text', text: labelOf(photo as StoredFile) },
			{ type: 'image_url', image_url: { url: `data:image/png;base64,${base64(png)}` } },
			{ type: 'text', text: labelOf(bill as StoredFile) },
			{
				type: 'file',
				file: { filename: 'bill.pdf', file_data: `data:application/pdf;base64,${base64(pdf)}` },
			},
			{ type: 'text', text: labelOf(list as StoredFile) },
			{ type: 'text', text: csv.toString() },
		],
	],
	[
		'messages',
		(text, [photo, bill, list]) => [
			{ type: 'text', text },
			{ type: 'text', text: labelOf(photo as StoredFile) },
			{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64(png) } },
			{ type: 'text', text: labelOf(bill as StoredFile) },
			{
				type: 'document',
				title: 'bill.pdf',
				source: { type: 'base64', media_type: 'application/pdf', data: base64(pdf) },
			},
			{ type: 'text', text: labelOf(list as StoredFile) },
			{ type: 'text', text: csv.toString(), cache_control: { type: 'ephemeral' } },
		],
	],
])('a model is shown the files of inputs: %s', async (api, expected) => {
	const agent = await made(apis[api]('m'), inputs)
	const files = [
		await put(agent, png, 'image/png', 'photo.png'),
		await put(agent, pdf, 'application/pdf', 'bill.pdf'),
		await put(agent, csv, 'text/csv', 'list.csv'),
	]
	const [photo, ...papers] = files.map(({ file }) => ({ file }))
	const ran = await run(host, agent, { question: 'What is it?', photo, papers })
	expect(ran.body).toMatchObject({ status: 'succeeded', output: 'Seen.' })
	const { messages, input } = sent('m')
	const first = (messages ?? input)?.find((message) => (message as { role?: string }).role === 'user')
	const text = JSON.stringify(ran.body.inputs, null, 2)
	expect(first?.content).toEqual(expected(expect.stringContaining('What is it?') as never, files))
	expect(text).toContain(files[0]?.file)
	const full = await host.call(`${agent.url}/runs/${ran.body.id}/events?full`, { token: account.token })
	expect(full.text).toContain(files[0]?.file)
	expect(full.text).not.toContain(base64(png).slice(0, 40))
})

// Proves: file.tool-results
test.each<Api>(['responses', 'chat', 'messages'])('a model is shown the files of a tool: %s', async (api) => {
	const yaml = `requires:\n  - { connector: "${tools.url}", scopes: [], auth: none, kind: connector, tools: [camera] }\n`
	const agent = await made(apis[api]('caller'), yaml)
	const ran = await run(host, agent)
	expect(ran.body).toMatchObject({ status: 'succeeded', output: 'Seen.' })
	const body = JSON.stringify(sent('caller'))
	expect(body).toContain(base64(png))
	expect(body).toContain(base64(pdf))
	expect(body).toContain('no model is shown this type')
	expect(body).toContain('is left out: The file is sent as image/png; its bytes are no such file.')
	const turns = sent('caller')
	if (api === 'messages')
		expect(turns.messages?.at(-1)?.content).toMatchObject([
			{
				type: 'tool_result',
				content: [
					{ type: 'text' },
					{ type: 'text' },
					{ type: 'image' },
					{ type: 'text' },
					{ type: 'document', title: 'bill.pdf' },
					{ type: 'text' },
				],
			},
		])
	if (api === 'responses')
		expect(turns.input?.at(-1)).toMatchObject({
			type: 'function_call_output',
			output: [{}, {}, { type: 'input_image' }, {}, { type: 'input_file' }, {}],
		})
	if (api === 'chat')
		expect(turns.messages?.slice(-2)).toMatchObject([
			{ role: 'tool', content: expect.stringContaining('Here it is.') },
			{ role: 'user', content: [{}, { type: 'image_url' }, {}, { type: 'file' }, {}] },
		])
	const events = await host.call(`${agent.url}/runs/${ran.body.id}/events`, { token: agent.run_key })
	expect(events.text).toContain('"files":[{"file":"file_')
	expect(events.text).not.toContain(base64(png).slice(0, 40))
})

const program = (body: string) => ({
	'agent.ts': `import { agent } from 'berth'\nexport default agent<any>(async (inputs, ctx) => {\n${body}\n})\n`,
})
const journalOf = (id: string) =>
	withSql(host, async (sql) => JSON.stringify(await sql`select entries from journal where run_id = ${id}`))

// Proves: file.read, file.created, file.replayed
test('a program reads files and makes one, and reads the same after its runtime is killed', async () => {
	const yaml = `${inputs}output:\n  type: object\n  properties:\n    report: { type: file, accept: [text/csv] }\n    read: { type: object }\n`
	const body = `const text = await ctx.files.text(inputs.papers[0])
	const all = await ctx.files.bytes(inputs.photo)
	const part = await ctx.files.bytes(inputs.photo, { start: 1, end: 4 })
	const failed = await ctx.files.text(inputs.photo).catch((error: any) => error.code)
	const other = await ctx.files.text({ ...inputs.photo, file: 'file_00000000000000000000000000' }).catch((error: any) => error.code)
	let sum = 0
	for (const byte of all) sum += byte
	const report = await ctx.files.create('../report.csv', 'text/csv', text + 'bread,2\\n')
	const bytes = await ctx.files.create('copy.png', 'image/png', all)
	const { text: said } = await ctx.model([{ role: 'user', content: 'Look.', files: [inputs.photo, bytes] }])
	return { report: { file: report.file }, read: { text, sum, part: [...part], failed, other, said, same: bytes.sha256 === inputs.photo.sha256 } }`
	const agent = await made(apis.chat('slow'), yaml, program(body))
	const photo = await put(agent, png, 'image/png', 'photo.png')
	const list = await put(agent, csv, 'text/csv', 'list.csv')
	const answer = run(host, agent, { photo: { file: photo.file }, papers: [{ file: list.file }] })
	const asked = () => models.requests.filter(({ body }) => body.model === 'slow')
	await until(async () => asked().length === 1)
	process.kill(runtimeOf(host), 'SIGKILL')
	const { body: ran } = await answer
	expect(ran).toMatchObject({
		status: 'succeeded',
		output: {
			report: { name: 'report.csv', type: 'text/csv', url: expect.stringMatching(/\/files\/file_/) },
			read: {
				text: csv.toString(),
				sum: png.reduce((sum, byte) => sum + byte, 0),
				part: [0x50, 0x4e, 0x47],
				failed: 'invalid_request',
				other: 'not_found',
				said: 'Seen.',
				same: true,
			},
		},
	})
	const [first, second] = asked()
	expect(first?.body.messages).toEqual(second?.body.messages)
	expect(JSON.stringify(second?.body.messages).split(base64(png))).toHaveLength(3)
	const { report } = ran.output as { report: StoredFile }
	const got = await fetch(report.url, { headers: { authorization: `Bearer ${agent.run_key}` } })
	expect(await got.text()).toBe(`${csv}bread,2\n`)
	const journal = await journalOf(ran.id)
	expect(journal).toContain(photo.sha256)
	expect(journal).not.toContain(base64(png).slice(0, 40))
	expect(journal).not.toContain('bread')
	const replay = await host.call<ReplayReport>(`/v1/runs/${ran.id}/replay`, {
		method: 'POST',
		token: account.token,
	})
	expect(replay.body).toMatchObject({ same: true })
	const made_ = await withSql(
		host,
		(sql) => sql`select count(*)::int as n from files where run_id = ${ran.id}`,
	)
	expect(made_[0]).toEqual({ n: 2 })
})

// Proves: file.run-only
test('a program reaches no file but those of its run', async () => {
	const yaml = `inputs: { type: object }\noutput: {}\n`
	const body = `const said = []
	for (const ask of [() => ctx.files.text(inputs.ref), () => ctx.model([{ role: 'user', content: 'Look.', files: [inputs.ref] }])])
		said.push(await ask().catch((error: any) => error.code))
	return said`
	const agent = await made(apis.chat('m'), yaml, program(body))
	const other = await put(agent, csv, 'text/csv', 'list.csv')
	expect((await run(host, agent, { ref: other })).body.output).toEqual(['not_found', 'not_found'])
})

// Proves: file.output-checked
test('an output names files of its run alone, of the types it declares', async () => {
	const agent = await made(
		apis.chat('m'),
		`inputs: { type: object }\noutput: { type: file, accept: [image/png] }\n`,
		program(`return inputs.ref ?? (await ctx.files.create('a.txt', 'text/plain', 'a'))`),
	)
	const code = async (given: object) => (await run(host, agent, given)).body
	expect(await code({})).toMatchObject({
		code: 'output_invalid',
		detail: expect.stringContaining('is text/plain'),
	})
	const ref = { file: (await put(agent, png, 'image/png', 'a.png')).file }
	expect(await code({ ref })).toMatchObject({
		code: 'output_invalid',
		detail: expect.stringContaining('not there'),
	})
})
