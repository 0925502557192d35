import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EndpointWithSecret } from '../../../../host/api/endpoints.ts'
import { bundleOf, deploy, type Running, run, until, withSql } from '../../../kit/agent.ts'
import { berth } from '../../../kit/berth.ts'
import { cloneTemplate, dropDatabase, startHost, type TestAccount, type TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { type Receiver, startReceiver } from '../../../kit/receiver.ts'

// The master key is changed under two hosts, which are killed in the middle of it.

let models: ModelServer
let receiver: Receiver
let database: string
let one: TestHost
let two: TestHost
let account: TestAccount
let agent: Running
let file: string

const copies = 3_000

beforeAll(async () => {
	models = await startModelServer({ m: { text: 'Hello.' } })
	receiver = await startReceiver()
	database = await cloneTemplate()
	const options = { database, egressAllow: ['127.0.0.1'], env: { HOST_LEASE_SECONDS: '2' } }
	one = await startHost(options)
	file = join(one.dataDir, 'master.key')
	two = await startHost({ ...options, env: { ...options.env, MASTER_KEY_FILE: file } })
	account = await one.account({ plan: 'team' })
	const model = `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }`
	agent = await deploy(one, account, await bundleOf({ model }))
})
afterAll(async () => {
	await Promise.all([one?.close(), two?.close()])
	if (database) await dropDatabase(database)
	await Promise.all([models?.close(), receiver?.close()])
})

const keyOf = async (keyFile: string, ...args: string[]) => {
	const done = await berth(['master-key', ...args, '--json'], {
		env: { DATABASE_URL: database, DATA_DIR: one.dataDir, MASTER_KEY_FILE: keyFile },
	})
	return { ...done, body: done.code === 0 ? JSON.parse(done.stdout) : null }
}
const key = (...args: string[]) => keyOf(file, ...args)
const state = async () =>
	(await key('status')).body as {
		check: string
		previous: string | null
		done: boolean
		hosts: { keys: string[] | null }[]
	}
const at = (host: TestHost) => ({ ...agent, url: agent.url.replace(one.url, host.url) })

// Proves: credential.rotation, credential.rotation-turn
test('two hosts change the key; killed in the middle, they go on, and nothing is lost', async () => {
	const create = (host: TestHost) =>
		host.call<EndpointWithSecret>(`/v1/deployments/${agent.id}/endpoints`, {
			token: account.token,
			json: { url: receiver.url, events: ['run.completed'] },
			headers: { 'idempotency-key': 'once' },
		})
	const { body: endpoint } = await create(one)
	const client = () =>
		withSql(
			one,
			async (sql) => (await sql`select payload from guard_oauth where id = 'copy'`)[0]?.payload.client_secret,
		)
	await withSql(
		one,
		(sql) => sql`
		insert into guard_oauth (model, id, payload)
		select 'Client', 'copy', json_build_object('client_secret', value #>> '{}') from guard_settings where name = 'keys'`,
	)
	const clientBefore = await client()
	// Enough to be at it for a while: the same secret many times over, at endpoints that are deleted.
	await withSql(
		one,
		(sql) => sql`
		insert into endpoints (id, deployment_id, url, secret, deleted_at)
		select 'end_copy' || n, deployment_id, url, secret, now() from endpoints, generate_series(1, ${copies}) n
		where id = ${endpoint.id}`,
	)
	const oldOnly = join(two.dataDir, 'old.key')
	copyFileSync(file, oldOnly)
	const before = (
		await until(async () => (await state()).hosts.every(({ keys }) => keys?.length === 1) && state())
	).check
	expect((await key('rotate')).stderr).toContain('there is no new key')
	const added = (await key('add')).body.check as string
	expect(added).not.toBe(before)
	const notYet = `the new key ${added.slice(0, 8)} is not in use yet: run berth master-key rotate first`
	const both = readFileSync(file, 'utf8')
	const swapped = join(two.dataDir, 'swapped.key')
	writeFileSync(swapped, `${both.trim().split('\n').reverse().join('\n')}\n`, { mode: 0o600 })
	await until(async () => (await state()).hosts.every(({ keys }) => keys?.length === 2))
	for (const held of [file, swapped]) {
		const bytes = readFileSync(held, 'utf8')
		expect(await keyOf(held, 'drop')).toMatchObject({ code: 1, stderr: `berth: ${notYet}\n` })
		expect(readFileSync(held, 'utf8')).toBe(bytes)
	}
	expect(await keyOf(swapped, 'rotate')).toMatchObject({
		code: 1,
		stderr: expect.stringContaining('is the key in use'),
	})
	expect((await key('add')).body.check).toBe(added)
	await until(async () => (await key('rotate')).code === 0)
	expect(await key('add')).toMatchObject({
		code: 1,
		stderr: expect.stringContaining(`a change is under way, to the key ${added.slice(0, 8)}`),
	})

	const rewrapped = () =>
		withSql(
			one,
			async (sql) => (await sql`select count(distinct secret)::int as n from endpoints`)[0]?.n as number,
		)
	await until(async () => (await rewrapped()) > 50)
	await Promise.all([one.kill(), two.kill()])
	const left = copies - (await rewrapped())
	expect((await key('drop')).stderr).toContain('still need the old key')
	;[one, two] = await Promise.all([one.again(), two.again()])
	for (const host of [one, two]) expect((await run(host, at(host))).body.status).toBe('succeeded')
	const done = await until(async () => {
		const now = await state()
		return now.done && now.hosts.length === 2 && now
	})
	expect(done).toMatchObject({ check: added, hosts: [{ keys: [added, before] }, { keys: [added, before] }] })
	expect(await rewrapped()).toBe(copies + 1)
	// The kill came before the end.
	expect(left).toBeGreaterThan(0)

	expect((await key('drop')).code).toBe(0)
	expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(1)
	await until(async () => {
		const { previous, hosts } = await state()
		return previous === null && hosts.every(({ keys }) => keys?.length === 1)
	})
	expect(await client()).not.toBe(clientBefore)
	// Answers that are repeated, and the guard's own keys, which a start opens.
	expect((await create(two)).body.secret).toBe(endpoint.secret)
	await one.kill('SIGTERM')
	one = await one.again()
	receiver.received.length = 0
	for (const host of [one, two]) expect((await run(host, at(host))).body.status).toBe('succeeded')
	await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBe(2)
	for (const { body, headers } of receiver.received) new Webhook(endpoint.secret).verify(body, headers)

	await expect(
		startHost({ database, env: { MASTER_KEY_FILE: oldOnly } }).then((host) => host.close()),
	).rejects.toThrow('is not this database’s'.replace('’', "'"))
})
