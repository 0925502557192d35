import { afterEach, expect, test } from 'vitest'
import { connectorSlug } from '../../../../bundles/index.ts'
import { type McpServer, type McpServerOptions, startMcpServer } from '../../../kit/mcp-server.ts'
import { program, type StartOptions, start } from './processes.ts'

// Guarantees of tool calls, with a real MCP server and the shipped processes between.

const TOKEN = 'tok-marked-0123456789'
const servers: McpServer[] = []
afterEach(async () => {
	await Promise.all(servers.splice(0).map((server) => server.close()))
})

interface Setup extends Omit<StartOptions, 'yaml'> {
	tools: string[]
	idempotent?: string[]
	server?: McpServerOptions
	token?: string
}

async function setUp({ tools, idempotent = [], server = {}, token, ...more }: Setup) {
	const mcp = await startMcpServer(server)
	servers.push(mcp)
	const auth = token === undefined ? 'none' : 'bearer'
	const settings = idempotent.map((tool) => `"${mcp.url}/${tool}": { idempotent: true }`).join(', ')
	const started = await start({
		yaml: `requires: [{ connector: "${mcp.url}", scopes: [], auth: ${auth}, kind: connector, tools: [${tools}] }]
tools: { ${settings} }
`,
		egressAllow: [`127.0.0.1:${mcp.port}`],
		credentials: token
			? [{ name: `connector:${connectorSlug(mcp.url)}`, aud: mcp.url, payload: { token } }]
			: [],
		...more,
	})
	return { mcp, ...started }
}
const calls = (name: string, input: object) =>
	program(`return (await ctx.tools.call('${name}', ${JSON.stringify(input)})).output`)

// Proves: connector.token-goes-only-there
test('an agent uses a connector with its token, which goes nowhere else', async () => {
	const { begin, mcp, models, host } = await setUp({
		tools: ['echo', 'fail'],
		server: { token: TOKEN },
		token: TOKEN,
		scripts: {
			m: [
				{
					calls: [
						{ name: 'echo', input: { text: `is it ${TOKEN}?` } },
						{ name: 'fail', input: {} },
					],
				},
				{ text: 'done' },
			],
		},
	})
	const { outcome, usage } = await begin()
	expect(outcome).toEqual({ status: 'succeeded', output: '"done"' })
	expect(usage).toMatchObject({ model_calls: 2, tool_calls: 2, failed_tool_calls: 1 })
	expect(mcp.calls.map(({ tool }) => tool).sort()).toEqual(['echo', 'fail'])
	const body = models.requests[1]?.body as { messages: { role: string }[] }
	const answered = JSON.stringify(body.messages.filter(({ role }) => role === 'tool'))
	expect(answered).toMatch(/is it \[redacted\]\?/)
	expect(answered).toMatch(/it did not work/)
	const completed = host.journal.filter(({ type }) => type === 'tool.completed').map(({ data }) => data.ok)
	expect(completed.sort()).toEqual([false, true])
	const listed = models.requests[0]?.body as { tools: { function: { name: string } }[] }
	expect(listed.tools.map(({ function: { name } }) => name)).toEqual(['echo', 'fail'])
})

// Proves: connector.token-refused
test('a token that is turned away ends the run before the model is asked, and the owner is told', async () => {
	const { begin, models, host } = await setUp({ tools: ['echo'], server: { token: 'another' }, token: TOKEN })
	const { outcome } = await begin()
	expect(outcome).toMatchObject({ status: 'failed', error: { code: 'connector_not_connected' } })
	expect(models.requests).toEqual([])
	const states = host.notes.flatMap(([name, note]) => (name === 'credential.state' ? [note] : []))
	const error = expect.stringContaining('give it another (berth credentials --bearer-env)')
	expect(states.at(-1)).toMatchObject({ version: 1, state: 'rejected', error })
	expect(JSON.stringify([outcome, host.notes])).not.toContain(TOKEN)
})

// Proves: connect.missing-scope
test('a token that does not allow a call fails that call, and its owner is told which to upload', async () => {
	const server = { token: TOKEN, needs: { echo: 'pay' }, scopeOf: () => 'read' }
	const { begin, host } = await setUp({ tools: ['echo'], server, token: TOKEN, files: calls('echo', {}) })
	expect((await begin()).outcome.status).toBe('succeeded')
	const told = host.journal.find(({ type }) => type === 'tool.completed')?.data
	expect(told).toMatchObject({ ok: false, output: expect.stringContaining('the token does not allow this') })
	const states = host.notes.flatMap(([name, note]) => (name === 'credential.state' ? [note] : []))
	const error = expect.stringMatching(/what the token does not allow: pay$/)
	expect(states.at(-1)).toMatchObject({ state: 'rejected', error })
})

// Proves: connector.away
test('a connector that is not there ends the run as connector_unavailable', async () => {
	const { begin, mcp, models } = await setUp({ tools: ['echo'] })
	await mcp.close()
	expect((await begin()).outcome).toMatchObject({ error: { code: 'connector_unavailable' } })
	expect(models.requests).toEqual([])
})

// Proves: connector.large-result
test('a result of five megabytes is a failed call that says so', async () => {
	const { begin, host } = await setUp({ tools: ['big'], files: calls('big', {}) })
	const { outcome } = await begin()
	expect(outcome.status).toBe('succeeded')
	expect(host.journal.find(({ type }) => type === 'tool.completed')?.data).toMatchObject({
		ok: false,
		output: expect.stringMatching(/too large|larger/),
	})
	expect(JSON.stringify(host.journal).length).toBeLessThan(10_000)
})

// Proves: connector.broken-after-send
test.each([
	['ends the run as outcome_unknown', [], 'outcome_unknown', 1],
	['is made again where it may be', ['charge'], 'succeeded', 2],
] as const)('a tool call whose connection breaks after it was sent %s', async (_, idempotent, end, sent) => {
	const { mcp, begin } = await setUp({
		tools: ['charge'],
		idempotent: [...idempotent],
		files: calls('charge', {}),
	})
	mcp.faults.push({ method: 'tools/call', fault: 'cut' })
	const { outcome } = await begin()
	expect(outcome.status === 'succeeded' ? outcome.status : outcome.error.code).toBe(end)
	expect(mcp.requests.filter(({ method }) => method === 'tools/call')).toHaveLength(sent)
})

// Proves: journal.unknown-outcome
test.each([
	['charge', [], 'outcome_unknown', 1],
	['slow', ['slow'], 'succeeded', 2],
] as const)(
	'a call of %s that is under way when the runtime is killed ends as it may',
	async (name, idempotent, end, made) => {
		const { begin, resume, runtime, host, mcp } = await setUp({
			tools: [name],
			idempotent: [...idempotent],
			files: calls(name, { ms: 400 }),
			server: {
				tools: [
					{
						name,
						inputSchema: { type: 'object' },
						run: async () => {
							await new Promise((resolve) => setTimeout(resolve, 600))
							return { content: [{ type: 'text', text: 'at last' }] }
						},
					},
				],
			},
		})
		void begin()
		await expect.poll(() => mcp.calls.length).toBe(1)
		await expect.poll(() => host.journal.map(({ type }) => type)).toContain('tool.started')
		const back = new Promise<void>((resolve) => runtime.onRestart(resolve))
		process.kill(runtime.pid() as number, 'SIGKILL')
		await back
		const { outcome } = await resume(host.journal)
		expect(outcome.status === 'succeeded' ? outcome.status : outcome.error.code).toBe(end)
		expect(mcp.calls).toHaveLength(made)
	},
)

const structured = (run: () => object) => ({
	name: 'measure',
	inputSchema: { type: 'object' as const },
	outputSchema: {
		type: 'object' as const,
		properties: { celsius: { type: 'number' }, at: { type: 'string', pattern: '^(a+)+$' } },
		required: ['celsius'],
	},
	run: () => ({ content: [{ type: 'text' as const, text: 'warm' }], structuredContent: run() as never }),
})

// Proves: connector.result-schema
test('a structured result that breaks the schema of its tool is a failed one', async () => {
	const given: object[] = [{ celsius: 21 }, { celsius: 'warm' }, { celsius: 1, at: `${'a'.repeat(40)}!` }]
	const { mcp, begin, host } = await setUp({
		tools: ['measure'],
		server: { tools: [structured(() => given[mcp.calls.length - 1] as object)] },
		files: program(`const all = []
	for (let i = 0; i < 3; i++) all.push(await ctx.tools.call('measure', {}))
	return JSON.stringify(all)`),
	})
	const { outcome } = await begin()
	const [good, wrong, slow] = JSON.parse(JSON.parse((outcome as { output: string }).output))
	expect(good).toEqual({ ok: true, output: 'warm', structured: { celsius: 21 } })
	expect(wrong).toEqual({ ok: false, output: expect.stringContaining('outputSchema: /celsius') })
	expect(slow).toEqual({ ok: false, output: expect.stringContaining('takes over') })
	expect(mcp.calls).toHaveLength(3)
	expect(JSON.stringify(host.journal)).not.toContain('outcome_unknown')
})
