// Two places on one database: who runs what, who says where it is, and what a place without hosts leaves to the others.
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CreatedDeployment, Deployment } from '../../../../host/api/deployments.ts'
import type { ListedPlace } from '../../../../host/api/places.ts'
import { newId } from '../../../../host/lib/ids.ts'
import { createClient } from '../../../../host/owner/client/index.ts'
import { openPlaces } from '../../../../host/places/index.ts'
import {
	bundleOf,
	deploy,
	putProviderKey,
	type Running,
	run,
	until,
	upload,
	withDatabase,
	withSql,
} from '../../../kit/agent.ts'
import { berth } from '../../../kit/berth.ts'
import { cloneTemplate, dropDatabase, startHost, type TestAccount, type TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { type Receiver, startReceiver } from '../../../kit/receiver.ts'

let models: ModelServer
let receiver: Receiver
let database: string
let local: TestHost
let eu: TestHost
let account: TestAccount
let here: Running
let there: Running

const bundle = (name = 'm') =>
	bundleOf({ model: `{ provider: openai, name: ${name}, base_url: "${models.openaiUrl}" }` })
const v1 = <T = Record<string, unknown>>(host: TestHost, path: string, json?: unknown) =>
	host.call<T>(`/v1${path}`, { token: account.token, ...(json !== undefined && { json }) })
const post = <T = Record<string, unknown>>(host: TestHost, path: string) =>
	host.call<T>(`/v1${path}`, { method: 'POST', token: account.token })
/** The same path at a host of the other place. */
const misdirected = (url: string) => url.replace(eu.url, local.url)

beforeAll(async () => {
	models = await startModelServer({ m: { text: 'Hello.' }, slow: { text: 'At last.', delayMs: 60_000 } })
	receiver = await startReceiver()
	database = await cloneTemplate()
	const options = (env: Record<string, string> = {}) => ({
		database,
		egressAllow: ['127.0.0.1'],
		env: { HOST_LEASE_SECONDS: '1', ...env },
	})
	local = await startHost(options())
	eu = await startHost(options({ PLACE: 'eu', MASTER_KEY_FILE: join(local.dataDir, 'master.key') }))
	account = await local.account({ plan: 'team' })
	here = await deploy(local, account, await bundle(), 'here')
})
afterAll(async () => {
	await Promise.all([local?.close(), eu?.close(), receiver?.close()])
	if (database) await dropDatabase(database)
	await models?.close()
})

// Proves: deployment.places-listed
test('places are listed with their addresses and hosts, by a host that had started before', async () => {
	const { data } = (await v1<{ data: ListedPlace[] }>(local, '/places')).body
	expect(data).toEqual([
		{ id: 'eu', name: new URL(eu.url).host, default: false, url: eu.url, hosts: 1, deployable: true },
		expect.objectContaining({ id: 'local', default: true, url: local.url, hosts: 1, deployable: true }),
	])
	const hosts = await local.call<{ data: { place: string }[] }>('/v1/admin/hosts', { token: local.operator })
	expect(hosts.body.data.map(({ place }) => place).sort()).toEqual(['eu', 'local'])
})

// Proves: deployment.place, deployment.wrong-place, cli.follows-place
test('a deployment is made from anywhere, started at its place, and has its address there', async () => {
	const fields = { name: 'there', place: 'eu' }
	const created = await local.call<CreatedDeployment>('/v1/deployments', {
		token: account.token,
		body: upload(await bundle(), fields),
	})
	expect(created.body).toMatchObject({ place: 'eu', place_alive: true, state: 'creating' })
	expect(created.body.url).toMatch(`${eu.url}/d/there-`)
	const { id, upload_token } = created.body
	expect((await putProviderKey(local, created.body, upload_token)).status).toBe(200)

	const path = `/v1/deployments/${id}/start`
	const key = { 'idempotency-key': 'start-once' }
	const at = (host: TestHost) => host.call(path, { method: 'POST', token: account.token, headers: key })
	expect(await at(local)).toMatchObject({
		status: 421,
		body: { code: 'wrong_place', place: 'eu', url: eu.url + path },
	})
	// Nothing of that is kept for the key: the place itself starts it, once.
	const client = createClient({ baseUrl: local.url, token: account.token })
	const started = await client.deployments.start(id)
	expect(started).toMatchObject({ state: 'running', url: created.body.url })
	expect((await at(eu)).status).toBe(200)
	there = { ...started, run_key: started.run_key as string }
	const evil = createClient({ baseUrl: `${local.url}/d`, token: account.token })
	await expect(evil.deployments.start(id)).rejects.toMatchObject({ status: 404 })
})

// Proves: deployment.wrong-place, run.other-host
test('its address answers at its place alone, and says so elsewhere to whoever may hear it', async () => {
	const done = await run(local, there)
	expect(done.body).toMatchObject({ status: 'succeeded', output: 'Hello.' })
	const { id } = done.body
	const token = there.run_key
	const asked = [
		['/run', { json: { inputs: {} } }],
		[`/runs/${id}`, {}],
		[`/runs/${id}/events`, {}],
		[`/runs/${id}/cancel`, { method: 'POST' }],
		['/mcp', { json: { jsonrpc: '2.0', id: 1, method: 'ping' } }],
		['', {}],
		['/runs?limit=1', {}],
		['/credentials', { token: account.token }],
	] as const
	for (const [below, call] of asked) {
		const answer = await local.call(misdirected(there.url) + below, { token, ...call })
		const url = there.url + below.split('?')[0]
		expect([below, answer.status, answer.body.code, answer.body.url]).toEqual([
			below,
			421,
			'wrong_place',
			url,
		])
		expect(answer.body.detail).toContain(url)
	}
	const stranger = await local.account()
	for (const strange of [stranger.token, here.run_key, `${token}x`]) {
		const [at, nowhere] = await Promise.all(
			[misdirected(there.url), `${local.url}/d/nowhere-00000000`].map((url) =>
				local.call(`${url}/runs`, { token: strange }),
			),
		)
		expect([at?.status, at?.body.detail]).toEqual([nowhere?.status, nowhere?.body.detail])
	}
	expect((await v1(local, `/runs/${id}`)).body).toMatchObject({ id, deployment_url: there.url })
	expect((await v1(local, `/deployments/${there.id}`)).body).toMatchObject({ place: 'eu', url: there.url })
	for (const below of ['/tools', '/stop'])
		expect(
			(await v1(local, `/deployments/${there.id}${below}`, below === '/stop' ? {} : undefined)).body,
		).toMatchObject({ code: 'wrong_place', url: `${eu.url}/v1/deployments/${there.id}${below}` })
	expect((await v1(eu, `/deployments/${there.id}`)).body.state).toBe('running')
})

// Proves: deployment.cross-origin
test('pages of the console at one place read what another answers', async () => {
	const preflight = (path: string, origin: string) =>
		eu.call(path, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } })
	for (const path of [new URL(there.url).pathname, `/v1/deployments/${there.id}/start`]) {
		expect((await preflight(path, local.url)).headers.get('access-control-allow-origin')).toBe(local.url)
		expect((await preflight(path, 'https://evil.example')).headers.has('access-control-allow-origin')).toBe(
			false,
		)
	}
})

// Proves: deployment.place-address
test('hosts of one place that name different addresses are told, those that run and the one that starts', async () => {
	const told: string[] = []
	const log = pino({ level: 'warn' }, { write: (line: string) => told.push(line) })
	const config = { PLACE: 'local', PLACE_URL: 'https://elsewhere.example', DEPLOYMENT_DOMAIN: '' }
	const heard = () => local.logs().filter((line) => line.includes('name different addresses'))
	await withDatabase(local, async ({ sql, listen }) => {
		const places = await openPlaces({ config, id: newId('hst'), sql, listen, log })
		await places.stop()
		expect(told.join()).toContain(local.url)
		await until(async () => heard().length === 1)
		expect(heard()[0]).toContain('https://elsewhere.example')
		// As it was.
		const own = { ...config, PLACE_URL: local.url }
		await (await openPlaces({ config: own, id: newId('hst'), sql, listen, log })).stop()
	})
})

// Proves: deployment.place-address
test('a place at the address of another does not start while that has hosts or agents, and is not deployable', async () => {
	const log = pino({ level: 'silent' })
	const named = (PLACE: string, PLACE_URL: string, DEPLOYMENT_DOMAIN = '') =>
		withDatabase(local, async ({ sql, listen }) => {
			const config = { PLACE, PLACE_URL, DEPLOYMENT_DOMAIN }
			await (await openPlaces({ config, id: newId('hst'), sql, listen, log })).stop()
		})
	await expect(named('mars', eu.url)).rejects.toThrow(
		/^The place eu is at \S+ and has hosts that run, so the place mars cannot be there, too\. Set another PLACE_URL/,
	)
	await named('io', 'https://io.example', 'io.example')
	await expect(named('eu', 'https://io.example').then(() => listed('eu'))).resolves.toMatchObject({
		url: 'https://io.example',
	})
	expect(await listed('io')).toBeUndefined()
	await named('eu', eu.url)

	// As hosts of before this was refused wrote it.
	await named('io', 'https://io.example', 'io.example')
	await withSql(local, (sql) => sql`update places set url = ${eu.url} where id = 'io'`)
	expect(await listed('eu')).toMatchObject({ hosts: 1, deployable: false })
	const body = upload(await bundle(), { name: 'lost', place: 'eu' })
	const refused = await local.call('/v1/deployments', { token: account.token, body })
	expect(refused).toMatchObject({ status: 409, body: { code: 'conflict', place: 'eu' } })
	await withSql(local, (sql) => sql`update places set url = 'https://io.example' where id = 'io'`)

	// No host of it is alive, but an agent is there.
	await withSql(local, (sql) => sql`update deployments set place = 'io' where id = ${here.id}`)
	await expect(named('eu', eu.url, 'io.example')).rejects.toThrow(
		/^The place io is at DEPLOYMENT_DOMAIN io\.example and has agents \(1\)/,
	)
	await withSql(local, async (sql) => {
		await sql`update deployments set place = 'local' where id = ${here.id}`
		await sql`delete from places where id = 'io'`
	})
})

const listed = async (id: string) =>
	(await v1<{ data: ListedPlace[] }>(local, '/places')).body.data.find((place) => place.id === id)

/** A run that a host left as it died, in the table alone. */
const orphan = (of: Running, host: string) =>
	withSql(local, async (sql) => {
		const id = newId('run')
		await sql`
			insert into runs (id, deployment_id, version, status, inputs, seed, host_id)
			values (${id}, ${of.id}, 1, 'queued', '{}', ${'0'.repeat(32)}, ${host})`
		return id
	})

const stateOf = (id: string) =>
	withSql(local, async (sql) => (await sql`select status, attempt, host_id from runs where id = ${id}`)[0])

// Proves: deployment.place-hosts, deployment.place-dead
test('a dead place keeps what is its own, and is gone on with by its next host', async () => {
	// One after the other: their ids, and so the lists below, are in this order.
	const schedule = { cron: '0 9 * * *', timezone: 'UTC', inputs: {}, missed: 'run_once' }
	const endpoints: string[] = []
	for (const { id } of [here, there]) {
		const made = await v1<{ id: string }>(local, `/deployments/${id}/endpoints`, { url: receiver.url })
		endpoints.push(made.body.id)
		expect((await v1(local, `/deployments/${id}/schedules`, schedule)).status).toBe(201)
	}
	const dead = await withSql(
		local,
		async (sql) => (await sql`select id from hosts where place = 'eu'`)[0]?.id,
	)
	await eu.kill('SIGKILL')
	const [lost, found] = [await orphan(there, dead), await orphan(here, dead)]
	const deliveries = endpoints.map(() => newId('dlv'))
	await withSql(local, async (sql) => {
		for (const [i, endpoint] of endpoints.entries())
			await sql`
				insert into deliveries (id, endpoint_id, event_id, place, type, body, status, next_attempt_at)
				values (${deliveries[i] ?? ''}, ${endpoint}, ${newId('evt')}, ${i === 0 ? 'local' : 'eu'}, 'ping', '{}', 'pending', now())`
		await sql`update schedules set next_at = now() - interval '1 second'`
	})
	const state = () =>
		withSql(local, async (sql) => ({
			runs: [(await stateOf(lost))?.status, (await stateOf(found))?.status],
			sent: (await sql`select status from deliveries where id = any(${deliveries}) order by id`).map(
				({ status }) => status,
			),
			fired: (await sql`select last_run_id is not null as fired from schedules order by id`).map(
				({ fired }) => fired,
			),
		}))
	await until(async () => {
		const { runs, sent, fired } = await state()
		return runs.includes('succeeded') && sent.includes('delivered') && fired.includes(true)
	})
	// In the same looks it has left alone what is of the other place.
	expect(await state()).toEqual({
		runs: ['queued', 'succeeded'],
		sent: ['delivered', 'pending'],
		fired: [true, false],
	})

	const shown = await v1<Deployment>(local, `/deployments/${there.id}`)
	expect(shown.body).toMatchObject({ state: 'running', place_alive: false })
	const env = { BERTH_URL: local.url, BERTH_TOKEN: account.token }
	expect((await berth(['list'], { env })).stdout).toContain('running (no host of eu is alive)')
	await expect(run(local, there)).rejects.toThrow('fetch failed')
	const refused = await local.call<{ detail: string }>('/v1/deployments', {
		token: account.token,
		body: upload(await bundle(), { name: 'nobody', place: 'eu' }),
	})
	expect([refused.status, refused.body.detail]).toEqual([
		409,
		expect.stringContaining('No host of the place eu'),
	])
	const dry = await local.call<{ faults: { code: string }[] }>('/v1/deployments?dry_run=true', {
		token: account.token,
		body: upload(await bundle(), { name: 'nobody', place: 'mars' }),
	})
	expect(dry.body.faults).toMatchObject([{ code: 'invalid_request', errors: [{ path: 'place' }] }])

	eu = await eu.again()
	await until(async () => {
		const { runs, sent, fired } = await state()
		return runs[0] === 'succeeded' && sent[1] === 'delivered' && fired[1] === true
	})
	expect(await stateOf(lost)).toMatchObject({ attempt: 2 })
})

// Proves: deployment.place-dead, deployment.disabled-account
test('what runs at a place is stopped there, and by any host while no host of it is alive', async () => {
	const other = await local.account({ plan: 'team' })
	const made = async (name: string, owner: TestAccount) => {
		const client = createClient({ baseUrl: local.url, token: owner.token })
		const plan = { bytes: await bundle('slow'), fileName: 'a.agent', name, place: 'eu' }
		const created = await client.deployments.create(plan)
		await putProviderKey(local, created, owner.token)
		return (await client.deployments.start(created.id)) as Running
	}
	const [slow, theirs] = [await made('slow', account), await made('theirs', other)]
	const begin = (agent: Running) => run(local, agent, {}, { prefer: 'respond-async' })
	const [own, foreign] = [(await begin(slow)).body.id, (await begin(theirs)).body.id]
	await local.call(`/v1/admin/accounts/${other.id}`, {
		method: 'PATCH',
		token: local.operator,
		json: { disabled: true },
	})
	await until(async () => (await stateOf(foreign))?.status === 'cancelled')

	await eu.kill('SIGKILL')
	await until(async () => !(await v1<Deployment>(local, `/deployments/${slow.id}`)).body.place_alive)
	expect((await post(local, `/deployments/${slow.id}/start`)).body).toMatchObject({ code: 'conflict' })
	const stopped = await v1(local, `/deployments/${slow.id}/stop`, { drain_seconds: 0 })
	expect(stopped.body).toMatchObject({ state: 'stopped', cancelled: [own] })
	expect((await stateOf(own))?.status).toBe('cancelled')
	expect(
		(await local.call(`/v1/deployments/${slow.id}`, { method: 'DELETE', token: account.token })).status,
	).toBe(204)
})
