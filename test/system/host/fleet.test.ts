// Three hosts of one database behind a balancer: they are one service, also while hosts come, go, and lose things.
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseDatabaseUrl } from '../../../host/db/url.ts'
import { bundleOf, create, deploy, type Running, run, until } from '../../kit/agent.ts'
import { type Fleet, startFleet } from '../../kit/fleet.ts'
import { addHistory } from '../../kit/guard.ts'
import type { TestAccount, TestHost } from '../../kit/host.ts'
import { type McpServer, standardTools, startMcpServer } from '../../kit/mcp-server.ts'
import { type ModelServer, startModelServer } from '../../kit/model-server.ts'
import { call, tokensFor } from '../../kit/oauth-clients.ts'

let models: ModelServer
let tools: McpServer
let fleet: Fleet
let sql: postgres.Sql
let account: TestAccount

/** A call of `charge` takes so long as its key says: `name-ms`. */
const charge = standardTools
	.filter(({ name }) => name === 'charge')
	.map((tool) => ({
		...tool,
		run: async (args: Record<string, unknown>, asking: Parameters<typeof tool.run>[1]) => {
			await sleep(Number(String(args.key).split('-')[1]))
			return tool.run(args, asking)
		},
	}))

beforeAll(async () => {
	models = await startModelServer({
		m: { text: 'Hello.' },
		slow: { text: 'At last.', delayMs: 1500 },
		endless: { text: 'On and on. '.repeat(10_000), dripMs: 100, chunk: 5 },
	})
	tools = await startMcpServer({ tools: charge })
	fleet = await startFleet({ SHUTDOWN_SECONDS: '0', STOP_GRACE_SECONDS: '60', GUARD_ACCESS: 'everyone' })
	account = await fleet.hosts[0].account({ plan: 'team' })
	sql = postgres({ ...parseDatabaseUrl(fleet.hosts[0].databaseUrl ?? ''), max: 1, onnotice: () => {} })
})
afterAll(async () => {
	await sql?.end()
	await fleet?.close()
	await Promise.all([models?.close(), tools?.close()])
})

const model = (name: string) => `{ provider: openai, name: ${name}, base_url: "${models.openaiUrl}" }`
const made = async (name: string) => deploy(fleet.hosts[0], account, await bundleOf({ model: model(name) }))
/** The same deployment, asked of one host. */
const on = (host: TestHost, agent: Running): Running => ({
	...agent,
	url: agent.url.replace(fleet.balancer.url, host.url),
})
const begin = async (host: TestHost, agent: Running) =>
	(await run(host, on(host, agent), {}, { prefer: 'respond-async' })).body.id
const stored = (ids: string[]) => sql`
	select r.id, r.status, r.attempt, (
		select count(*)::int from journal j, json_array_elements(j.entries::json) e
		where j.run_id = r.id and e ->> 'type' in ('run.completed', 'run.failed', 'run.cancelled')
	) as ends
	from runs r where r.id = any(${ids}) order by r.id`
const ended = (ids: string[]) =>
	until(async () => {
		const rows = await stored(ids)
		return rows.every(({ ends }) => ends > 0) && rows
	})

describe('three hosts', () => {
	// Proves: run.other-host
	test('share a run: begun on one, its events read from another, cancelled on the third', async () => {
		const [a, b, c] = fleet.hosts
		const agent = await made('endless')
		expect(agent.url).toContain(fleet.balancer.url)
		const id = await begin(a, agent)
		const events = await fetch(`${on(b, agent).url}/runs/${id}/events`, {
			headers: { authorization: `Bearer ${agent.run_key}` },
		})
		let read = ''
		const reading = events.body!.pipeThrough(new TextDecoderStream()).pipeTo(
			new WritableStream({
				write(part) {
					read += part
				},
			}),
		)
		await expect.poll(() => read, { timeout: 10_000 }).toContain('event: model.delta\n')
		const cancelled = await c.call(`${on(c, agent).url}/runs/${id}/cancel`, {
			method: 'POST',
			token: agent.run_key,
		})
		expect(cancelled.body).toMatchObject({ id, status: 'cancelled' })
		await reading
		expect(read).toMatch(/event: run\.cancelled\n/)
	})

	// Proves: fleet.changes-seen
	test('see changes of keys, accounts and plans that one of them made, long before they would look', async () => {
		const [a] = fleet.hosts
		const soon = { timeout: 10_000, interval: 20 }
		const agent = await made('m')
		const statuses = (ask: (host: TestHost) => Promise<{ status: number }>) => async () =>
			(await Promise.all(fleet.hosts.map(ask))).map(({ status }) => status)
		const called = statuses((host) => run(host, on(host, agent)))
		expect(await called()).toEqual([200, 200, 200])
		const { body } = await a.call<{ data: { id: string }[] }>(`/v1/deployments/${agent.id}/keys`, {
			token: account.token,
		})
		const path = `/v1/deployments/${agent.id}/keys/${body.data[0]?.id}`
		await a.call(path, { method: 'DELETE', token: account.token })
		await expect.poll(called, soon).toEqual([401, 401, 401])

		const other = await a.account({ plan: 'free' })
		const bundle = await bundleOf({ model: model('m') })
		expect((await create(a, other, bundle, 'first')).status).toBe(201)
		for (const host of fleet.hosts) expect((await create(host, other, bundle, 'second')).status).toBe(409)
		const change = (json: object) =>
			a.call(`/v1/admin/accounts/${other.id}`, { method: 'PATCH', token: a.operator, json })
		await change({ plan: 'pro' })
		const names = ['second', 'third', 'fourth']
		const created = fleet.hosts.map((host, i) => create(host, other, bundle, String(names[i])))
		expect((await Promise.all(created)).map(({ status }) => status)).toEqual([201, 201, 201])
		const seen = statuses((host) => host.call('/v1/account', { token: other.token }))
		expect(await seen()).toEqual([200, 200, 200])
		await change({ disabled: true })
		await expect.poll(seen, soon).toEqual([403, 403, 403])
	})

	// Proves: fleet.exact-limits
	test('together let in exactly what a plan and the guard allow', async () => {
		const password = 'a long enough password'
		const owner = { password, ...(await fleet.hosts[0].account({ plan: 'pro', password })) }
		const bundle = await bundleOf({ model: model('m') })
		const creates = Array.from({ length: 9 }, (_, i) =>
			create(fleet.hosts[i % 3] as TestHost, owner, bundle, `agent-${i}`),
		)
		const created = (await Promise.all(creates)).map(({ status }) => status)
		expect(created.filter((status) => status === 201)).toHaveLength(5)
		expect(created.filter((status) => status === 409)).toHaveLength(4)

		const { access_token } = await tokensFor(fleet.balancer.url, owner)
		// Of the 120 of a minute, 100 are behind it.
		const [row] = await sql<{ now: number }[]>`select extract(epoch from now())::float8 * 1000 as now`
		const first = Math.floor((row?.now ?? 0) - 10_000)
		await addHistory({ sql } as never, owner.id, { calls: 100, first, everyMs: 10 })
		const question = { propositions: ['Water boils at 100 °C at sea level.'] }
		const answers = await Promise.all(
			Array.from({ length: 30 }, (_, i) =>
				call(fleet.hosts[i % 3]?.url ?? '', access_token, 'guard_noul', question),
			),
		)
		expect(answers.filter(({ isError }) => !isError)).toHaveLength(20)
	})
})

/** As a caller does that wants its answer: again with the same key until there is one. */
async function insist(agent: Running, key: string): Promise<string> {
	for (;;) {
		const headers = { 'idempotency-key': key, prefer: 'wait=20' }
		const answer = await run(fleet.hosts[0], agent, { key }, headers).catch(() => null)
		if (answer && ![202, 502, 503].includes(answer.status)) return String(answer.body.status)
		await sleep(50)
	}
}

// Proves: fleet.rolling-update, journal.stop-finishes-call
test('hosts that are renewed one after the other fail no run, and make no call twice', async () => {
	const agent = await deploy(
		fleet.hosts[0],
		account,
		await bundleOf({
			model: model('m'),
			yaml: `inputs: { type: object, properties: { key: { type: string } }, required: [key] }
requires:
  - { connector: "${tools.url}", scopes: [], auth: none, kind: connector, tools: [charge] }
`,
			files: {
				'agent.ts': `import { agent } from 'berth'
export default agent(async ({ key }: any, ctx) => {
	await ctx.tools.call('charge', { key })
	await ctx.model('Well?')
	await ctx.tools.call('charge', { key: 'again.' + key })
	return key
})
`,
			},
		}),
	)
	let renewing = true
	const keys: string[] = []
	const endings: string[] = []
	const caller = async (name: string) => {
		for (let n = 0; renewing || n < 2; n++) {
			const key = `${name}.${n}-${100 + 40 * (n % 10)}`
			keys.push(key)
			endings.push(await insist(agent, key))
		}
	}
	// Longer than anything else of a stop takes: it is under way on the host that is renewed first.
	const long = 'long-6000'
	const [first] = fleet.hosts
	const under = run(first, on(first, agent), { key: long }, { prefer: 'respond-async' })
	const { id } = (await under).body
	await until(async () => tools.calls.some(({ args }) => args.key === long))
	const callers = Promise.all(Array.from({ length: 4 }, (_, i) => caller(`caller${i}`)))
	for (const index of [0, 1, 2] as const) await fleet.renew(index)
	renewing = false
	await callers
	expect(new Set(endings)).toEqual(new Set(['succeeded']))
	const [row] = await ended([id])
	expect(row).toMatchObject({ status: 'succeeded', ends: 1 })
	const made = tools.calls.map(({ args }) => String(args.key)).sort()
	expect(made).toEqual([...keys, long].flatMap((key) => [key, `again.${key}`]).sort())
})

// Proves: fleet.host-back, journal.fenced
test('a host that loses its database, then stands still, and each time comes back, loses nothing and does nothing twice', async () => {
	const [a, , c] = fleet.hosts
	const agent = await made('slow')
	const running = async (ids: string[]) =>
		until(async () => (await stored(ids)).every(({ status }) => status === 'running'))
	const beginAll = async () => {
		const ids = await Promise.all(Array.from({ length: 5 }, () => begin(c, agent)))
		await running(ids)
		return ids
	}
	const taken = async (ids: string[]) => {
		const rows = await ended(ids)
		expect(rows.map(({ status, ends }) => [status, ends])).toEqual(ids.map(() => ['succeeded', 1]))
		return rows.filter(({ attempt }) => attempt > 1).length
	}
	const ready = () => until(async () => (await c.call('/readyz').catch(() => null))?.status === 200)

	const cut = await beginAll()
	fleet.cut.cut()
	expect(await taken(cut)).toBeGreaterThan(0)
	expect((await c.call('/readyz')).status).toBe(503)
	expect((await run(a, agent, {}, { 'idempotency-key': 'meanwhile' })).status).toBe(200)
	fleet.cut.mend()
	await ready()

	const frozen = await beginAll()
	const stopped = c.processes().filter((pid) => {
		try {
			return process.kill(pid, 'SIGSTOP')
		} catch {
			return false
		}
	})
	expect(await taken(frozen)).toBe(frozen.length)
	for (const pid of stopped) process.kill(pid, 'SIGCONT')
	await ready()

	expect((await run(c, on(c, agent))).body).toMatchObject({ status: 'succeeded' })
	// What it still wrote when it was back was refused: each run has one end.
	expect(await taken([...cut, ...frozen])).toBeGreaterThan(0)
})
