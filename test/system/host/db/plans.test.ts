import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseDatabaseUrl } from '../../../../host/db/url.ts'
import { firstId } from '../../../../host/lib/ids.ts'
import { bundleOf, deploy, type Running, run, until } from '../../../kit/agent.ts'
import { cloneTemplate, dropDatabase, startHost, type TestAccount, type TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { type Receiver, startReceiver } from '../../../kit/receiver.ts'
import { type Listening, listen, type Statement } from '../../../kit/statements.ts'

// How Postgres answers what a host asks of tables that grow with every run. The statements are those that cross the
// socket of a host that does everything once, in a database with the rows of a busy year of a small one.

/** What is read whole would take longer with every run that ever was. */
const growing = ['runs', 'journal', 'deliveries', 'attempts', 'approvals', 'refusals', 'ledger', 'audit']
const mentions = new RegExp(`\\b(${growing.join('|')})\\b`)
/** `npm run plans` takes a million. */
const runs = Number(process.env.PLANS_ROWS ?? 50_000)
const day = 86_400_000

let models: ModelServer
let receiver: Receiver
let database: string
let listening: Listening
let host: TestHost
let account: TestAccount
let sql: postgres.Sql

beforeAll(async () => {
	models = await startModelServer({
		m: { text: 'Hello.' },
		endless: { text: 'Never.', delayMs: 60_000 },
	})
	receiver = await startReceiver()
	database = await cloneTemplate()
	sql = postgres({ ...parseDatabaseUrl(database), max: 1, onnotice: () => {} })
	await sql`set plan_cache_mode = force_generic_plan`
	await fill(sql)
	await fillExpired(sql)
	listening = await listen(database)
	host = await startHost({
		database: listening.url,
		egressAllow: ['127.0.0.1'],
		env: { HOST_LEASE_SECONDS: '1' },
	})
	account = await host.account({ plan: 'team' })
}, 600_000)
afterAll(async () => {
	await host?.close()
	await listening?.close()
	await sql?.end()
	if (database) await dropDatabase(database)
	await Promise.all([models?.close(), receiver?.close()])
})

test('no statement of a host reads a table of runs, journals or deliveries from its first row to its last', async () => {
	await everything()
	await sql`analyze`
	const statements = [...listening.statements.values()].filter(
		({ text }) => /^\s*(with|select|insert|update|delete)\b/i.test(text) && mentions.test(text),
	)
	// Fewer mean that a part of the host did not speak.
	expect(statements.length).toBeGreaterThan(45)
	expect(await whole(statements)).toEqual([])
	// Of the weeks of the journal, a run's own is read: it is known before (Subplans Removed), or as the plan goes.
	const reads = statements.filter(({ text }) => /^\s*select[\s\S]*\b(from|join) journal\b/.test(text))
	expect(reads.length).toBeGreaterThan(1)
	for (const read of reads)
		expect({ text: read.text, weeks: await weeksRead(read) }).toEqual({ text: read.text, weeks: 1 })
	// What is held here can be broken: this index serves the claim of deliveries alone.
	await sql`drop index deliveries_due`
	expect(await whole(statements)).toEqual([expect.stringMatching(/^deliveries: with due as/)])
})

/** Those that read a growing table whole, and which. */
async function whole(statements: Statement[]): Promise<string[]> {
	const found: string[] = []
	for (const statement of statements) {
		const tables = scanned(await planOf(statement))
		if (tables.length > 0) found.push(`${tables.join()}: ${statement.text.trim().replace(/\s+/g, ' ')}`)
	}
	return found
}

/** Partitions of the journal that it looks into, of a run that there is. */
async function weeksRead(statement: Statement): Promise<number> {
	const [run] = await sql`select run_id as id from journal limit 1`
	const plan = await planOf(statement, {
		text: `'${run?.id}'`,
		'text[]': `array['${run?.id}']`,
		integer: '0',
	})
	const looked = nodes(plan).filter((node) => node['Actual Loops'] !== 0)
	return looked.filter((node) => node['Relation Name']?.startsWith('journal')).length
}

/** Whatever asks for runs, their journals and their deliveries: from a call to its webhook, by people and by itself. */
async function everything(): Promise<void> {
	const model = (name: string) => `{ provider: openai, name: ${name}, base_url: "${models.openaiUrl}" }`
	const quick = await deploy(host, account, await bundleOf({ model: model('m') }))
	const asking = await deploy(
		host,
		account,
		await bundleOf({
			files: {
				'agent.ts': `import { agent } from 'berth'\nexport default agent(async (_, ctx) => ctx.approve('Go on?'))\n`,
			},
		}),
	)
	const endless = await deploy(host, account, await bundleOf({ model: model('endless') }))
	const owner = async (path: string, method = 'GET', json?: object) => {
		const { status, body, text } = await host.call<
			Record<string, unknown> & { data: { id: string; digest: string }[] }
		>(path, {
			method,
			token: account.token,
			...(json && { json }),
		})
		if (status > 299) throw new Error(`${method} ${path}: ${status} ${text}`)
		return body
	}
	const operator = async (path: string) =>
		expect((await host.call(path, { token: host.operator })).status).toBe(200)
	const of = (agent: Running, rest: string) => `/v1/deployments/${agent.id}${rest}`
	const read = (agent: Running, id: string) => owner(`${agent.url}/runs/${id}`)

	const endpoint = await owner(of(quick, '/endpoints'), 'POST', { url: receiver.url })
	await owner(of(quick, ''), 'PATCH', { budgets: { tokens_per_month: 1_000_000 } })
	const schedule = await owner(of(quick, '/schedules'), 'POST', { cron: '0 9 * * *', missed: 'run_once' })
	await sql`update schedules set next_at = now() - interval '1 second' where id = ${String(schedule.id)}`

	const once = async () => (await run(host, quick, {}, { 'idempotency-key': 'one' })).body.id
	expect(await once()).toBe(await once())
	const { id } = (await run(host, quick)).body
	expect((await run(host, quick, 'no object')).status).toBeGreaterThan(399)
	await owner(`${quick.url}/runs/${id}/events`)
	for (const query of ['', '?status=live', '?status=failed', '?status=succeeded', `?cursor=${id}`])
		for (const token of [account.token, quick.run_key])
			expect((await host.call(`${quick.url}/runs${query}`, { token })).status).toBe(200)
	for (const query of [
		'',
		'?status=live',
		'?status=failed',
		'?status=succeeded',
		'?since=2026-01-01T00:00:00Z',
	])
		for (const deployment of ['', quick.id]) {
			const search = new URLSearchParams(query)
			if (deployment) search.set('deployment', deployment)
			await owner(`/v1/runs?${search}`)
		}
	await owner(`/v1/runs/${id}/replay`, 'POST')
	await owner('/v1/deployments')
	await owner(of(quick, '/budgets'))
	await owner(of(quick, '/refusals'))
	await owner('/v1/account/ledger')
	await owner('/v1/overview')
	await owner('/v1/account/guard-usage')
	for (const query of ['', '?operation=createKey', '?since=2026-01-01T00:00:00Z']) {
		await owner(`/v1/audit${query}`)
		await operator(`/v1/admin/audit${query}`)
	}
	await operator('/v1/admin/hosts')
	await operator('/v1/admin/runs')
	const [key] = (await owner(of(quick, '/keys'))).data
	for (const query of ['?', `?deployment=${quick.id}&`]) {
		for (const which of ['', 'code=agent_error&', `key=${key?.id}&`, 'until=2026-01-01T00:00:00Z&'])
			for (const path of [`/v1/failures${query}${which}`, `/v1/runs${query}${which}status=all`])
				await owner(path)
	}

	const delivered = await until(async () => receiver.received.find(({ body }) => body.includes(id)))
	expect(delivered.body).toContain('run.completed')
	const deliveries = (await owner(of(quick, '/deliveries'))).data
	await owner(of(quick, '/deliveries?status=failed'))
	await owner(of(quick, `/endpoints/${endpoint.id}/deliveries`))
	await owner(of(quick, `/deliveries/${deliveries[0]?.id}/redeliver`), 'POST')
	await owner(of(quick, '/deliveries/redeliver'), 'POST', { since: '2026-01-01T00:00:00Z', status: 'all' })

	const waiting = (await run(host, asking, {}, { prefer: 'respond-async' })).body.id
	const approvals = `${asking.url}/runs/${waiting}/approvals`
	await until(async () => (await read(asking, waiting)).status === 'waiting')
	const [approval] = (await owner(approvals)).data
	for (const query of ['', '?status=all', `?status=all&cursor=${approval?.id}`])
		await owner(`/v1/approvals${query}`)
	await owner(`${approvals}/${approval?.id}`, 'POST', { decision: 'approve', digest: approval?.digest })
	await until(async () => (await read(asking, waiting)).completed_at !== null)

	// A run that goes on elsewhere, is cancelled there, and another that ends with its deployment.
	const begun = await Promise.all(
		[1, 2].map(async () => (await run(host, endless, {}, { prefer: 'respond-async' })).body.id),
	)
	await until(async () => models.requests.filter(({ body }) => body.model === 'endless').length >= 2)
	await host.kill('SIGKILL')
	host = await host.again()
	await until(async () => models.requests.filter(({ body }) => body.model === 'endless').length >= 4)
	await owner(`${endless.url}/runs/${begun[0]}/cancel`, 'POST')
	await until(async () => (await read(endless, begun[0] ?? '')).status === 'cancelled')
	await owner('/v1/runs/cancel', 'POST', { all: true })
	await owner(`${quick.url}/runs/${id}`, 'DELETE')
	await owner(of(endless, '/stop'), 'POST')
	await until(async () => (await owner(of(endless, ''))).state === 'stopped')
	await until(async () => (await owner(of(quick, `/schedules/${schedule.id}`))).last_run !== null)
}

async function fill(sql: postgres.Sql): Promise<void> {
	await sql.unsafe(`
		insert into plans (name, running_agents, paid) values ('filled', null, true);
		insert into accounts (id, email, plan, balance)
			select 'acc_' || i, i || '@example.com', 'filled', 0 from generate_series(1, 100) i;
		insert into deployments (id, account_id, name, slug, place, state)
			select 'dep_' || i, 'acc_' || i % 100 + 1, 'a' || i, 'a-' || i, 'berth', 'stopped' from generate_series(1, 500) i;
		insert into bundles (digest, bytes) values ('d', '');
		insert into versions (deployment_id, version, digest, agent, commit) select id, 1, 'd', '{}', 'c' from deployments;
		insert into runs (id, deployment_id, version, lineage, status, inputs, output, usage, seed, created_at, completed_at)
			select 'run_' || lpad(i::text, 24, '0'), 'dep_' || i % 500 + 1, 1, 'k' || i % 700,
				case when i % 50 = 0 then 'failed' else 'succeeded' end, '{}', '"x"', '{}', 's', now(), now()
			from generate_series(1, ${runs}) i;
		insert into journal (run_id, first_seq, last_seq, entries)
			select r.id, n * 2 - 1, n * 2, '[]' from runs r, generate_series(1, 2) n;
		insert into approvals (run_id, id, approved, account_id)
			select r.id, 'apr_' || substr(r.id, 5), true, d.account_id
			from runs r join deployments d on d.id = r.deployment_id where r.id like '%0';
		insert into refusals (deployment_id, hour, code, count, last_at, detail, paths)
			select d.id, date_trunc('hour', now()) - make_interval(hours => h), 'inputs_invalid', 1, now(), 'x', '[]'
			from deployments d, generate_series(1, 20) h;
		insert into ledger (id, account_id, amount, balance, reason)
			select 'ldg_' || i, 'acc_' || i % 100 + 1, 0, 0, 'x' from generate_series(1, 20000) i;
		insert into audit (id, account_id, actor_id, actor_kind, operation, target, status, request_id, address)
			select 'aud_' || lpad(i::text, 26, '0'), 'acc_' || i % 100 + 1, 'acc_' || i % 100 + 1, 'personal', 'x', '{}', 200, 'r', ''
			from generate_series(1, 20000) i;
		insert into endpoints (id, deployment_id, url, secret)
			select 'ep_' || i, 'dep_' || i, 'http://127.0.0.1:1/', 's' from generate_series(1, 100) i;
		insert into deliveries (id, endpoint_id, event_id, run_id, type, body, status, attempts, created_at, completed_at)
			select 'dlv_' || lpad(i::text, 24, '0'), 'ep_' || i % 100 + 1, 'evt_' || i, 'run_' || lpad(i::text, 24, '0'),
				'run.completed', '{}', 'delivered', 1, now(), now()
			from generate_series(1, ${runs}) i;
		insert into attempts (delivery_id, attempt, latency_ms) select id, 1, 5 from deliveries;
		analyze;`)
}

/** Long expired: a host that starts deletes them, and looks for others of a deployment that keeps its runs for less. */
async function fillExpired(sql: postgres.Sql): Promise<void> {
	for (let n = 0; n < 20; n++)
		await sql`
			insert into runs (id, deployment_id, version, status, inputs, seed, created_at, completed_at)
			values (${firstId('run', Date.now() - 40 * day + n)}, 'dep_1', 1, 'succeeded', '{}', 's',
				now() - interval '40 days', now() - interval '40 days')`
	await sql`update deployments set retain_days = 7 where id = 'dep_2'`
	await sql`insert into settings (name, value) values ('retain_runs', '{"days":30,"from":0}')`
}

interface Plan {
	'Node Type': string
	'Relation Name'?: string
	'Actual Loops'?: number
	Plans?: Plan[]
}

/** The plan for whatever parameters: what a prepared statement comes to. With values, by type, it is carried out. */
async function planOf({ text, types }: Statement, values?: Record<string, string>): Promise<Plan> {
	const names = await sql<{ name: string }[]>`
		select case when oid = 0 then 'unknown' else format_type(oid, null) end as name
		from unnest(${types}::oid[]) with ordinality as t (oid, at) order by at`
	const list = (words: string[]) => (words.length > 0 ? `(${words.join()})` : '')
	await sql.unsafe(`prepare asked ${list(names.map(({ name }) => name))} as ${text}`)
	const [prepared] = await sql<{ types: string[] }[]>`
		select parameter_types::text[] as types from pg_prepared_statements where name = 'asked'`
	const given = prepared?.types.map((type) => values?.[type] ?? 'null') ?? []
	const rows = await sql.unsafe<{ 'QUERY PLAN': [{ Plan: Plan }] }[]>(
		`explain (format json${values ? ', analyze' : ''}) execute asked ${list(given)}`,
	)
	await sql.unsafe('deallocate asked')
	const [plan] = rows.map((row) => row['QUERY PLAN'][0].Plan)
	if (!plan) throw new Error(`no plan of ${text}`)
	return plan
}

const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)]

/** Weeks of the journal that are (nearly) empty are read whole, and nobody minds. */
const young = /^journal_(rest|\d+)$/

function scanned(plan: Plan): string[] {
	return nodes(plan)
		.filter((node) => node['Node Type'] === 'Seq Scan')
		.map((node) => node['Relation Name'] ?? '')
		.filter((name) => !young.test(name))
		.map((name) => name.replace('journal_before', 'journal'))
		.filter((name) => growing.includes(name))
}
