import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { bundleOf, deploy, type Running, run, until, withSql } from '../kit/agent.ts'
import { withHost } from '../kit/host.ts'
import { startMcpServer } from '../kit/mcp-server.ts'
import { startModelServer } from '../kit/model-server.ts'
import { call as callGuard, post } from '../kit/oauth-clients.ts'
import { signInAt } from '../system/host/connect/agent.ts'

// What people send and agents say stands in no log line, at no level, whatever fails.

const kinds = [
	'INPUT',
	'OUTPUT',
	'PROMPT',
	'MODEL',
	'ARGUMENT',
	'RESULT',
	'MEMORY',
	'LINE',
	'THROWN',
] as const
const outer = ['KEY', 'PROVIDER', 'HOOK', 'GUARD', 'BODY', 'PATH'] as const
const markerOf = Object.fromEntries(
	[...kinds, ...outer].map((kind) => [kind, `MARKED-${kind}-7f3a9c`]),
) as Record<(typeof kinds)[number] | (typeof outer)[number], string>

/** Uses everything that carries texts, then ends as its input asks. */
const program = `import { agent } from 'berth'
export default agent(async ({ text, end }, ctx) => {
	ctx.log('error', '${markerOf.LINE}', { text })
	await ctx.memory.write('note.md', '${markerOf.MEMORY}').catch(() => undefined)
	const { text: said } = await ctx.model(text)
	const { output } = await ctx.tools.call('lookup', { key: '${markerOf.ARGUMENT}' })
	if (end === 'throw') throw new Error('${markerOf.THROWN}' + said + output)
	if (end === 'parse') JSON.parse('${markerOf.THROWN}')
	if (end === 'memory') { const all = []; for (;;) all.push(new Array(1e6).fill(said)) }
	return end === 'wrong' ? { output } : { answer: '${markerOf.OUTPUT}' + said }
})
`
const yaml = (mcp: string) => `inputs:
  type: object
  properties: { text: { type: string }, end: { type: string } }
output: { type: object, required: [answer], properties: { answer: { type: string } } }
limits: { seconds: 20, memory_mb: 32 }
requires: [{ connector: "${mcp}", scopes: [], auth: none, kind: connector, tools: [lookup] }]
`

const isSandbox = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('sandbox.mjs')

// Proves: observe.logs-private, observe.run-failures
test('no marker of anybody’s text is in the output of host and runtime at LOG_LEVEL=trace', async () => {
	const fault = { status: 500, body: { error: { message: markerOf.MODEL } } }
	const models = await startModelServer({
		m: { text: markerOf.MODEL },
		failing: { fault },
		refusing: { fault: { ...fault, status: 400 } },
		silent: { fault: 'silence' },
		cut: { text: markerOf.MODEL.repeat(3), fault: 'cut' },
		garbage: { fault: 'garbage' },
	})
	const result = { content: [{ type: 'text' as const, text: markerOf.RESULT }] }
	const mcp = await startMcpServer({ tools: [{ name: 'lookup', run: () => result }] })
	const hook = createServer((_, response) => response.writeHead(500).end(markerOf.HOOK))
	await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve))
	const env = { LOG_LEVEL: 'trace', PROVIDER_TIMEOUT_SECONDS: '0.5', GUARD_ACCESS: 'everyone' }
	try {
		await withHost({ egressAllow: ['127.0.0.1'], env }, async (host) => {
			const person = { email: 'logs@example.com', password: 'MARKED-PASSWORD-7f3a9c' }
			const account = await host.account({ ...person, plan: 'team' })
			const { token } = account
			const made = async (model: string): Promise<Running> => {
				const address = `{ provider: openai, name: ${model}, base_url: "${models.openaiUrl}", retry_seconds: 0 }`
				const files = { 'agent.ts': program, 'prompt.md': markerOf.PROMPT }
				return deploy(host, account, await bundleOf({ model: address, yaml: yaml(mcp.url), files }))
			}
			const works = await made('m')
			const inputs = (end: string) => ({ text: markerOf.INPUT, end })
			const hookUrl = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/${markerOf.HOOK}`
			await host.call(`/v1/deployments/${works.id}/endpoints`, { token, json: { url: hookUrl } })

			const statuses = []
			for (const end of ['well', 'throw', 'parse', 'memory', 'wrong'])
				statuses.push((await run(host, works, inputs(end))).status)
			expect(statuses).toEqual([200, 500, 500, 500, 502])
			for (const model of ['failing', 'refusing', 'silent', 'cut', 'garbage'])
				expect((await run(host, await made(model), inputs('well'))).status).toBeGreaterThanOrEqual(500)
			expect((await run(host, works, { text: [markerOf.INPUT] })).status).toBe(422)
			expect((await run(host, works, {}, {}, `${works.run_key}${markerOf.KEY}`)).status).toBe(401)
			const raw = { method: 'POST', token: works.run_key, headers: { 'content-type': 'application/json' } }
			expect((await host.call(`${works.url}/run`, { ...raw, body: `{"${markerOf.BODY}` })).status).toBe(400)
			await host.call(`${works.url}/memory/${markerOf.PATH}.md`, { token })

			// A database that fails with the row in its words.
			await withSql(host, async (sql) => {
				await sql`alter table runs add constraint closed check (false) not valid`
				expect((await run(host, works, inputs('well'))).status).toBeGreaterThanOrEqual(500)
				await sql`alter table runs drop constraint closed`
			})
			const guard = await signInAt(`${host.url}/mcp`, person)
			const access = String(guard.access_token)
			await callGuard(host.url, access, 'guard_screen', { text: markerOf.GUARD })
			await callGuard(host.url, access, 'guard_screen', { [markerOf.GUARD]: markerOf.GUARD })
			await (await post(host.url, access, { [markerOf.GUARD]: markerOf.GUARD })).text()

			// The sandbox dies under a run.
			const slow = run(host, works, inputs('well'))
			for (const pid of host.processes()) if (isSandbox(pid)) process.kill(pid, 'SIGKILL')
			await slow
			await until(async () => host.logs().some((line) => line.includes('a webhook was not delivered')))

			const log = host.logs().join('\n')
			expect(log).toContain('"level":20')
			expect(log).toContain('request failed')
			const failed = host
				.logs()
				.filter((line) => line.endsWith('"msg":"a run failed"}'))
				.map((line) => JSON.parse(line))
			expect(failed.length).toBeGreaterThanOrEqual(9)
			for (const entry of failed) {
				expect(entry).toMatchObject({ level: 30, run: expect.any(String), code: expect.any(String) })
				expect(entry).not.toHaveProperty('err')
			}
			const secrets = [token, works.run_key, access, person.password, 'sk-test', ...Object.values(markerOf)]
			expect(secrets.filter((secret) => log.includes(secret))).toEqual([])
		})
	} finally {
		hook.closeAllConnections()
		await Promise.all([models.close(), mcp.close(), new Promise((resolve) => hook.close(resolve))])
	}
}, 90_000)
