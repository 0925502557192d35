// What an owner sees of all deployments at once: hours, failures, and what waits for a decision.
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AccountApproval, type AccountApprovalPage } from '../../../../host/api/approvals.ts'
import { FailureList } from '../../../../host/api/failures.ts'
import { Overview } from '../../../../host/api/overview.ts'
import { newId } from '../../../../host/lib/ids.ts'
import { createClient } from '../../../../host/owner/client/index.ts'
import { bundleOf, create, deploy, type Running, run, until, withSql } from '../../../kit/agent.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { type McpServer, startMcpServer } from '../../../kit/mcp-server.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

let host: TestHost
let models: ModelServer
let mcp: McpServer
let account: TestAccount
let other: TestAccount
let good: Running
let bad: Running
let payer: Running

beforeAll(async () => {
	models = await startModelServer({
		m: { text: 'Hello!' },
		broken: { fault: { status: 401 } },
		payer: [{ calls: [{ name: 'charge', input: { key: 'k1' } }] }, { text: 'Paid.' }],
	})
	mcp = await startMcpServer()
	host = await sharedHost()
	account = await host.account({ plan: 'team' })
	other = await host.account()
	const model = (name: string) => `{ provider: openai, name: ${name}, base_url: "${models.openaiUrl}" }`
	good = await deploy(host, account, await bundleOf({ model: model('m') }), 'good')
	bad = await deploy(host, account, await bundleOf({ model: model('broken') }), 'bad')
	payer = await deploy(
		host,
		account,
		await bundleOf({
			model: model('payer'),
			yaml: `requires:
  - { connector: "${mcp.url}", scopes: [], auth: none, kind: connector, tools: [charge] }
tools: { "${mcp.url}/charge": { approval: required } }
`,
		}),
		'payer',
	)
	await create(host, account, await bundleOf({ model: model('m') }), 'new')
	await host.call(`/v1/deployments/${good.id}/schedules`, {
		token: account.token,
		json: { cron: '0 0 1 1 *' },
	})
	for (const at of [good, good, bad]) await run(host, at)
	await run(host, bad, {}, {}, account.token)
	await host.call(`${bad.url}/run`, { token: bad.run_key, json: { inputs: 1 } })
	// After its runs: what the model of the test costs is not known.
	await host.call(`/v1/deployments/${good.id}`, {
		method: 'PATCH',
		token: account.token,
		json: { budgets: { usd_per_month: 5 } },
	})
	await run(host, payer, {}, { prefer: 'respond-async' })
	await until(async () => (await approvals()).data.length === 1)
})
afterAll(async () => {
	await host?.close()
	await Promise.all([models?.close(), mcp?.close()])
})

const approvals = async (query = '', token = account.token) =>
	(await host.call<AccountApprovalPage>(`/v1/approvals?${query}`, { token })).body
const failures = async (query = '', token = account.token) =>
	FailureList.parse((await host.call(`/v1/failures?${query}`, { token })).body)
const runs = async (query: string) =>
	(await host.call<{ data: { id: string; deployment: string }[] }>(`/v1/runs?${query}`, account)).body.data

// Proves: deployment.overview
test('one call tells where every deployment of the account stands', async () => {
	// Refused calls are written up to a second later.
	const body = await until(async () => {
		const now = Overview.parse((await host.call('/v1/overview', account)).body)
		return now.failures_24h === 3 && now
	})
	expect(body.approvals_waiting).toBe(1)
	const { [good.id]: fine, [bad.id]: broken, [payer.id]: paid, ...rest } = body.deployments
	const [fresh] = Object.values(rest)
	const counted = ['runs', 'failures', 'refused'] as const
	const total = (one: typeof fine) =>
		counted.map((what) => one?.hours.reduce((sum, hour) => sum + hour[what], 0))
	expect([fine, broken, paid, fresh].map(total)).toEqual([
		[2, 0, 0],
		[2, 2, 1],
		[1, 0, 0],
		[0, 0, 0],
	])
	expect(fine).toMatchObject({
		last_run: { status: 'succeeded' },
		usd_month: null,
		budget_usd_month: 5,
		next_run_at: expect.stringMatching(/-01-01T00:00:00.000Z$/),
		credentials_needing: [],
		approvals_waiting: 0,
	})
	expect(fine?.hours).toHaveLength(24)
	expect(paid).toMatchObject({ approvals_waiting: 1, usd_month: null, next_run_at: null })
	expect(fresh).toMatchObject({ last_run: null, credentials_needing: ['provider'] })
	expect((await host.call('/v1/overview', other)).body).toEqual({
		failures_24h: 0,
		approvals_waiting: 0,
		deployments: {},
	})
})

// Proves: run.failures-grouped
test('failures are one line a kind, whatever ids and numbers their messages hold', async () => {
	const { data, total, truncated } = await failures()
	expect([total, truncated]).toEqual([3, false])
	const failed = data.find(({ kind }) => kind === 'run')
	expect(failed).toMatchObject({
		code: 'provider_auth_failed',
		deployment: bad.id,
		deployment_name: 'bad',
		count: 2,
		keys: [expect.stringMatching(/^key_/)],
	})
	expect(data.find(({ kind }) => kind === 'refused')).toMatchObject({
		code: 'invalid_request',
		count: 1,
		last_run: null,
		paths: ['/inputs'],
	})
	const key = failed?.keys[0]
	expect((await failures(`key=${key}`)).data).toMatchObject([{ kind: 'run', count: 1, keys: [key] }])
	expect((await failures(`deployment=${good.id}`)).data).toEqual([])
	expect((await failures('', other.token)).total).toBe(0)
	await withSql(host, async (sql) => {
		for (const ms of [12, 4711])
			await sql`
				insert into runs (id, deployment_id, version, status, inputs, seed, error_code, error_message)
				values (${newId('run')}, ${good.id}, 1, 'failed', '{}', 'x', 'agent_error', ${`${newId('run')} took ${ms} ms.`})`
	})
	const odd = await failures('code=agent_error')
	expect(odd.data).toMatchObject([{ count: 2, message: expect.stringContaining('took 4711 ms'), keys: [] }])
	const before = new Date(Date.parse(odd.data[0]?.first_at ?? '') - 1000).toISOString()
	expect((await failures(`code=agent_error&until=${before}`)).total).toBe(0)
	expect(await failures('limit=1')).toMatchObject({ total: 5, truncated: true })
})

// Proves: run.list-account
test('runs are listed by code, by key and up to a time', async () => {
	const [found, ...more] = await runs('status=all&code=provider_auth_failed')
	expect([found?.deployment, more.length]).toEqual([bad.id, 1])
	const { body } = await host.call<{ data: { id: string }[] }>(`/v1/deployments/${bad.id}/keys`, account)
	const key = body.data[0]?.id
	expect(await runs(`status=all&key=${key}`)).toHaveLength(1)
	expect(await runs(`status=failed&key=${key}&code=agent_error`)).toEqual([])
	expect(await runs(`status=all&until=${new Date(Date.now() - 600_000).toISOString()}`)).toEqual([])
	await withSql(host, async (sql) => {
		await sql`
			insert into runs (id, deployment_id, version, status, inputs, seed, lineage)
			select 'run_' || lpad(n::text, 26, '0'), ${bad.id}, 1, 'succeeded', '{}', 'x', 'another'
			from generate_series(1, 20000) n`
		await sql`analyze runs`
		const plan = await sql`
			explain select id from runs r where r.deployment_id = ${bad.id} and r.lineage = ${key ?? ''}
			order by r.id desc limit 20`
		expect(JSON.stringify(plan)).toContain('runs_lineage')
		await sql`delete from runs where lineage = 'another'`
	})
})

// Proves: approval.list-account
test('what runs ask is listed over all deployments until it is decided, and after it with `all`', async () => {
	const [asked, ...more] = (await approvals()).data
	expect(more).toEqual([])
	expect(AccountApproval.parse(asked)).toEqual(asked)
	expect(asked).toMatchObject({
		deployment: payer.id,
		deployment_name: 'payer',
		deployment_url: payer.url,
		tool: 'charge',
		arguments: { key: 'k1' },
		digest: expect.stringMatching(/^sha256:/),
		status: 'pending',
		expires_at: null,
	})
	// In the word of the item.
	expect((await approvals(`status=${asked?.status}`)).data).toEqual([asked])
	expect((await approvals('', other.token)).data).toEqual([])
	const client = createClient({ baseUrl: host.url, token: account.token })
	const { run: of = '', id = '', digest = '' } = asked ?? {}
	await client.runs.decide(payer.url, of, id, { decision: 'approve', digest })
	expect((await client.overview.approvals()).data).toEqual([])
	expect((await client.overview.approvals({ status: 'all' })).data).toMatchObject([
		{ id, status: 'approved' },
	])
	expect((await approvals('status=all', other.token)).data).toEqual([])
	expect((await approvals(`status=all&cursor=${id}`)).data).toEqual([])
})

// Proves: deployment.version-read
test('a version is read from its bundle: prompt, connectors with their tools, skills, files', async () => {
	const skill = '---\nname: tone\ndescription: How to write.\n---\nWrite drily.\n'
	const bundle = await bundleOf({
		model: `{ provider: openai, name: m, base_url: "${models.openaiUrl}", parameters: { temperature: 0 } }`,
		yaml: 'description: Greets.\nlimits: { steps: 7 }\n',
		files: { 'skills/tone/SKILL.md': skill, 'prompt.md': 'Greet them.\n' },
	})
	const { body } = await create(host, account, bundle, 'read')
	const client = createClient({ baseUrl: host.url, token: account.token })
	const read = await client.deployments.version(body.id, 1)
	expect(read).toMatchObject({
		version: 1,
		active: true,
		digest: body.agent.digest,
		name: 'greeter',
		description: 'Greets.',
		model: { provider: 'openai', name: 'm', options: { parameters: { temperature: 0 } } },
		prompt: { path: 'prompt.md', text: 'Greet them.\n' },
		output: null,
		limits: { steps: 7 },
		skills: [{ name: 'tone', description: 'How to write.', text: 'Write drily.' }],
	})
	expect(read.files).toContainEqual({
		path: 'skills/tone/SKILL.md',
		bytes: skill.length,
		sha256: createHash('sha256').update(skill).digest('hex'),
	})
	expect((await client.deployments.version(payer.id, 1)).connectors).toEqual([
		{
			connector: mcp.url,
			auth: 'none',
			scopes: [],
			tools: [{ name: 'charge', approval: true, screen: false, idempotent: false }],
			settings: {},
		},
	])
	const status = async (path: string, token: string) =>
		(await host.call(`/v1/deployments/${path}`, { token })).status
	expect(await status(`${body.id}/versions/1`, other.token)).toBe(404)
	expect(await status(`${body.id}/versions/2`, account.token)).toBe(404)
	expect(await status(`${good.id}/versions/1`, good.run_key)).toBe(401)
})
