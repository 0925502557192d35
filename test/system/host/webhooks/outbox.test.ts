import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { DeliveryPage } from '../../../../host/api/endpoints.ts'
import { bundleOf, deploy, type Running, run, until, withSql } from '../../../kit/agent.ts'
import { startHost, type TestAccount, type TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { type Receiver, startReceiver } from '../../../kit/receiver.ts'

// The delivery is written with the run's end, so a host that dies in between costs nothing.

let host: TestHost
let models: ModelServer
let receiver: Receiver
let account: TestAccount
let agent: Running

beforeAll(async () => {
	models = await startModelServer({ m: { text: 'Hello.' } })
	host = await startHost({
		egressAllow: ['127.0.0.1'],
		env: {
			HOST_LEASE_SECONDS: '3',
			SHUTDOWN_SECONDS: '0',
			WEBHOOK_RETRY_SECONDS: '1',
			// Longer than a test waits for the end of a host.
			WEBHOOK_TIMEOUT_SECONDS: '60',
		},
	})
})
afterAll(async () => {
	await host?.close()
	await models?.close()
})
beforeEach(async () => {
	receiver = await startReceiver()
	account = await host.account()
	agent = await deploy(
		host,
		account,
		await bundleOf({ model: `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }` }),
	)
	await host.call(at('/endpoints'), { token: account.token, json: { url: receiver.url } })
	return () => receiver.close()
})

const at = (path = '') => `/v1/deployments/${agent.id}${path}`

// Proves: webhook.survives-host
test('a delivery is made after a restart when its host was killed between the run’s end and the send', async () => {
	// A receiver that does not answer holds the sender exactly there.
	receiver.answers.push(() => undefined)
	const { body } = await run(host, agent)
	await until(async () => receiver.received.length === 1)
	await host.kill('SIGKILL')
	// Nobody is left who knows of it: only the row, whose sender's lease has run out.
	await withSql(host, (sql) => sql`update deliveries set lease_until = now() where run_id = ${body.id}`)
	host = await host.again()
	await until(async () => receiver.received.length === 2)
	const [first, second] = receiver.received
	expect(second?.body).toBe(first?.body)
	expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
	const log = await until(async () => {
		const { data } = (await host.call<DeliveryPage>(at('/deliveries'), { token: account.token })).body
		return data[0]?.status === 'delivered' && data
	})
	expect(log).toMatchObject([{ run: body.id, attempts: [{ attempt: 1, status: 200 }] }])
})

test('an endpoint that does not answer holds up no stop of its host, and is told by the next', async () => {
	receiver.answers.push(() => undefined)
	const { body } = await run(host, agent)
	await until(async () => receiver.received.length === 1)
	await host.kill('SIGTERM')
	const [delivery] = await withSql(
		host,
		(sql) => sql`select attempts, lease_until from deliveries where run_id = ${body.id}`,
	)
	expect(delivery).toEqual({ attempts: 0, lease_until: null })
	host = await host.again()
	await until(async () => receiver.received.length === 2)
})

test('a deleted deployment’s deliveries that were written before are still sent', async () => {
	receiver.answers.push((response) => response.writeHead(500).end())
	await run(host, agent)
	await until(async () => receiver.received.length === 1)
	expect((await host.call(at(), { method: 'DELETE', token: account.token })).status).toBe(204)
	await until(async () => receiver.received.length === 2)
})
