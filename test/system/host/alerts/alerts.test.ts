import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { raiseDiskLow } from '../../../../host/alerts/raise.ts'
import { smtpClient } from '../../../../host/alerts/smtp.ts'
import type { Alert } from '../../../../host/api/alerts.ts'
import type { EndpointWithSecret } from '../../../../host/api/endpoints.ts'
import { bundleOf, deploy, type Running, run, until, withDatabase, withSql } from '../../../kit/agent.ts'
import { berth } from '../../../kit/berth.ts'
import { cloneTemplate, dropDatabase, startHost, type TestAccount, type TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { type Receiver, startReceiver, status } from '../../../kit/receiver.ts'
import { type SmtpReceiver, startSmtp } from '../../../kit/smtp.ts'
import { connectorOf, deployWith, put } from '../connect/agent.ts'
import { startConnector } from '../connect/servers.ts'

// What owners are told of once, by webhook and e-mail, whichever of two hosts sees it.

let database: string
let one: TestHost
let two: TestHost
let models: ModelServer
let smtp: SmtpReceiver
let receiver: Receiver
let account: TestAccount

const fails = { fault: { status: 401 } } as const

beforeAll(async () => {
	models = await startModelServer({
		m: { text: 'Hello.' },
		spent: { text: 'Hello.', usage: { input: 800, output: 50 } },
	})
	smtp = await startSmtp()
	database = await cloneTemplate()
	const env = { SMTP_URL: smtp.url, ALERT_FROM: 'Berth <alerts@berth.example>' }
	one = await startHost({ database, egressAllow: ['127.0.0.1'], env })
	two = await startHost({
		database,
		egressAllow: ['127.0.0.1'],
		env: { ...env, MASTER_KEY_FILE: join(one.dataDir, 'master.key') },
	})
})
beforeEach(async () => {
	receiver = await startReceiver()
	account = await one.account({ plan: 'team' })
	return () => receiver.close()
})
afterAll(async () => {
	await Promise.all([one?.close(), two?.close()])
	if (database) await dropDatabase(database)
	await Promise.all([models?.close(), smtp?.close()])
})

const made = async (name: string) =>
	deploy(
		one,
		account,
		await bundleOf({
			model: `{ provider: openai, name: ${name}, base_url: "${models.openaiUrl}", parameters: { max_tokens: 100 } }`,
		}),
	)
const call = <T>(method: string, path: string, json?: unknown) =>
	one.call<T>(path, { method, token: account.token, ...(json !== undefined && { json }) })
const endpoint = async (agent: Running, url = receiver.url, events?: string[]) =>
	(
		await call<EndpointWithSecret>('POST', `/v1/deployments/${agent.id}/endpoints`, {
			url,
			...(events && { events }),
		})
	).body
const alerts = async () => (await call<{ data: Alert[] }>('GET', '/v1/alerts')).body.data
const mails = (to = account.email) => smtp.mails.filter((mail) => mail.to.includes(to))
const runAt = (host: TestHost, agent: Running) =>
	run(host, { ...agent, url: agent.url.replace(one.url, host.url) })
const told = () => receiver.received.map(({ body }) => (JSON.parse(body) as { type: string }).type)
/** As if its alerts were two hours old. */
const aged = async (agent: Running) => {
	await withSql(
		one,
		(sql) => sql`update alerts set at = at - interval '2 hours' where deployment_id = ${agent.id}`,
	)
}

describe('an agent whose last three runs failed', () => {
	// Proves: alert.failing, alert.once, alert.mail
	test('is told of once over two hosts, and again when it has worked and failed again', async () => {
		models.scripts.m = fails
		const agent = await made('m')
		const { secret } = await endpoint(agent, receiver.url, ['agent.failing'])
		await runAt(one, agent)
		await runAt(two, agent)
		expect(await alerts()).toEqual([])
		await Promise.all([runAt(one, agent), runAt(two, agent)])
		await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBe(1)
		await expect.poll(() => mails().length, { timeout: 60_000 }).toBe(1)
		const [got] = receiver.received
		const event = new Webhook(secret).verify(got?.body ?? '', got?.headers ?? {}) as Record<string, unknown>
		const [alert] = await alerts()
		expect(alert).toMatchObject({
			type: 'agent.failing',
			deployment: agent.id,
			name: agent.name,
			cleared_at: null,
		})
		expect(event).toMatchObject({
			type: 'agent.failing',
			data: { alert: alert?.id, deployment: agent.id, failed_runs: 3, code: 'provider_auth_failed' },
		})
		const [mail] = mails()
		expect(mail).toMatchObject({ from: 'alerts@berth.example', to: [account.email] })
		expect(mail?.text).toContain(`Subject: [Berth] ${agent.name} is failing: its last 3 runs failed`)
		expect(mail?.text).toContain(`/agents/${agent.id}`)

		await runAt(two, agent)
		models.scripts.m = { text: 'Hello.' }
		await runAt(two, agent)
		await until(async () => (await alerts())[0]?.cleared_at)
		await aged(agent)
		models.scripts.m = fails
		for (let n = 0; n < 3; n++) await runAt(one, agent)
		await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBe(2)
		expect(await alerts()).toHaveLength(2)

		const shown = await berth(['alerts'], { env: { BERTH_URL: one.url, BERTH_TOKEN: account.token } })
		expect(shown.stdout).toContain('agent.failing')
		expect(shown.stdout).toContain('code=provider_auth_failed')
	})
})

// Proves: alert.budget
test('a budget is told of at 80 %, once', async () => {
	const agent = await made('spent')
	await endpoint(agent, receiver.url, ['budget.warning'])
	await call('PATCH', `/v1/deployments/${agent.id}`, { budgets: { tokens_per_month: 3_000 } })
	for (let n = 0; n < 3; n++) await runAt(n % 2 ? one : two, agent)
	await expect.poll(told, { timeout: 60_000 }).toEqual(['budget.warning'])
	expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({
		data: { scope: 'deployment', threshold: 80, used: { tokens: 2_550 } },
	})
	await expect.poll(() => mails().length, { timeout: 60_000 }).toBe(1)
	expect(mails()[0]?.text).toContain(`${agent.name} has used 80 % of its budget`)
})

// Proves: alert.sign-in, alert.mail-off
test('a connector that needs a new sign-in is told of; who wants no e-mail gets none', async () => {
	models.scripts.m = [{ calls: [{ name: 'echo', input: { text: 'hi' } }] }, { text: 'done' }]
	const connector = await startConnector()
	onTestFinished(connector.close)
	const off = await berth(['alerts', '--email', 'off'], {
		env: { BERTH_URL: one.url, BERTH_TOKEN: account.token },
	})
	expect(off).toMatchObject({ code: 0 })
	const agent = await deployWith(one, account, { connector: connector.mcp.url, tools: ['echo'], models })
	connector.refusal = { status: 400, body: { error: 'invalid_grant' } }
	await endpoint(agent, receiver.url, ['credential.needs_sign_in'])
	// Its tools are listed with it at once, and are refused.
	await put(one, agent, account.token, connector.signIn(0))
	await runAt(one, agent)
	await runAt(two, agent)
	await expect.poll(told, { timeout: 60_000 }).toEqual(['credential.needs_sign_in'])
	expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({
		data: { credential: connectorOf(agent).name },
	})
	await until(async () =>
		withSql(
			one,
			async (sql) =>
				(await sql`select 1 from alerts where mail_at is null and deployment_id = ${agent.id}`).length,
		),
	)
	expect(mails()).toEqual([])
})

// Proves: alert.endpoint
test('an endpoint that is disabled is told to the other ones', async () => {
	models.scripts.m = { text: 'Hello.' }
	const agent = await made('m')
	await endpoint(agent, receiver.url, ['endpoint.disabled'])
	const gone = await startReceiver()
	onTestFinished(gone.close)
	gone.answers.push(status(410))
	const { id } = await endpoint(agent, gone.url)
	await runAt(one, agent)
	await expect.poll(told, { timeout: 60_000 }).toEqual(['endpoint.disabled'])
	expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({
		data: { endpoint: id, reason: 'It answered 410 Gone.' },
	})
})

describe('e-mail', () => {
	// Proves: alert.mail-again, alert.disk
	test('that was not taken is sent again, and an operator is told of a low disk once', async () => {
		const operator = await one.account({ operator: true })
		smtp.refuses = 451
		await withDatabase(one, async ({ sql }) => {
			await raiseDiskLow(sql, { host: 'hst_1', free_mb: 300 })
			await raiseDiskLow(sql, { host: 'hst_1', free_mb: 290 })
		})
		// Once the refusal is written down, which is tried again in 30 s; an attempt under way would be in 120.
		const waiting = () =>
			withSql(
				one,
				(sql) =>
					sql`select mail_attempts, mail_at < now() + interval '40 seconds' as refused from alerts where account_id is null`,
			)
		await until(async () => {
			const [alert] = await waiting()
			return alert?.mail_attempts === 1 && alert.refused
		})
		expect(await waiting()).toHaveLength(1)
		smtp.refuses = null
		await until(async () =>
			withSql(
				one,
				(sql) =>
					sql`update alerts set mail_at = now() where account_id is null and mail_at > now() and mail_attempts = 1 returning 1`,
			).then(({ length }) => length > 0),
		)
		await expect.poll(() => mails(operator.email).length, { timeout: 60_000 }).toBe(1)
		expect(mails(operator.email)[0]?.text).toContain('The disk of a host has 300 MB free')
		expect(one.logs().join('') + two.logs().join('')).not.toContain(operator.email)
	})

	// Proves: alert.mail-refused
	test('that is refused for good is not sent again, and the log names the server', async () => {
		smtp.refuses = 554
		onTestFinished(() => {
			smtp.refuses = null
		})
		await one.account({ operator: true })
		const alert = `alr_refused_${Date.now()}`
		await withSql(
			one,
			(sql) => sql`
				insert into alerts (id, type, data) values (${alert}, 'disk.low', '{"host":"hst_2","free_mb":1}')`,
		)
		const left = () =>
			withSql(one, (sql) => sql`select 1 from alerts where id = ${alert} and mail_at is not null`)
		await until(async () => (await left()).length === 0)
		// A host's lines come through a pipe, later than what it writes into the database.
		const lineOf = () => [...one.logs(), ...two.logs()].find((text) => text.includes(alert))
		await expect.poll(lineOf).toBeDefined()
		const line = lineOf()
		expect(line).toContain('refused by the mail server')
		expect(line).toContain(new URL(smtp.url).host)
	})

	// Proves: alert.stop
	test('to a silent server ends at once when the host stops', async () => {
		const silent = createServer()
		onTestFinished(() => void silent.close())
		await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
		const client = smtpClient({
			SMTP_URL: `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`,
			ALERT_FROM: 'a@example.com',
		})
		const connected = once(silent, 'connection')
		const sending = client.send(['b@example.com'], { id: 'alr_1', subject: 's', text: 't' })
		await connected
		client.close()
		await expect(sending).rejects.toThrow(/abort/i)
	})

	// Proves: alert.password-encrypted
	test('sends no password over a connection that is not encrypted', async () => {
		const { port } = smtp
		const client = smtpClient({
			SMTP_URL: `smtp://user:secret@127.0.0.1:${port}`,
			ALERT_FROM: 'a@example.com',
		})
		await expect(client.send(['b@example.com'], { id: 'alr_1', subject: 's', text: 't' })).rejects.toThrow()
		client.close()
		expect(smtp.passwords).toEqual([])
	})
})
