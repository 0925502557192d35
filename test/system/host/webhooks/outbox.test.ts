import { expect, test } from 'vitest'
import type { DeliveryPage } from '../../../../host/api/endpoints.ts'
import { bundleOf, deploy, run, until, withSql } from '../../../kit/agent.ts'
import { startHost } from '../../../kit/host.ts'
import { startModelServer } from '../../../kit/model-server.ts'
import { startReceiver } from '../../../kit/receiver.ts'

// The delivery is written with the run's end, so a host that dies in between costs nothing.

// Proves: webhook.survives-host
test('a delivery is made after a restart when its host was killed between the run’s end and the send', async () => {
	const models = await startModelServer({ m: { text: 'Hello.' } })
	const receiver = await startReceiver()
	// A receiver that does not answer holds the sender exactly there.
	receiver.answers.push(() => undefined)
	const host = await startHost({ egressAllow: ['127.0.0.1'], env: { HOST_LEASE_SECONDS: '1' } })
	try {
		const account = await host.account()
		const agent = await deploy(
			host,
			account,
			await bundleOf({ model: `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }` }),
		)
		const at = `/v1/deployments/${agent.id}`
		await host.call(`${at}/endpoints`, { token: account.token, json: { url: receiver.url } })
		const { body } = await run(host, agent)
		await until(async () => receiver.received.length === 1)
		await host.kill('SIGKILL')
		// Nobody is left who knows of it: only the row, whose sender's lease has run out.
		await withSql(host, (sql) => sql`update deliveries set lease_until = now() where run_id = ${body.id}`)
		const again = await host.again()
		try {
			await until(async () => receiver.received.length === 2)
			const [first, second] = receiver.received
			expect(second?.body).toBe(first?.body)
			expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
			const log = await until(async () => {
				const { data } = (await again.call<DeliveryPage>(`${at}/deliveries`, { token: account.token })).body
				return data[0]?.status === 'delivered' && data
			})
			expect(log).toMatchObject([{ run: body.id, attempts: [{ attempt: 1, status: 200 }] }])
		} finally {
			await again.close()
		}
	} finally {
		await host.close()
		await receiver.close()
		await models.close()
	}
})

test('an endpoint that does not answer holds up no stop of its host, and is told by the next', async () => {
	const models = await startModelServer({ m: { text: 'Hello.' } })
	const receiver = await startReceiver()
	receiver.answers.push(() => undefined)
	// Longer than the test waits for the end of a host.
	const env = { SHUTDOWN_SECONDS: '0', WEBHOOK_TIMEOUT_SECONDS: '60' }
	const host = await startHost({ egressAllow: ['127.0.0.1'], env })
	try {
		const account = await host.account()
		const agent = await deploy(
			host,
			account,
			await bundleOf({ model: `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }` }),
		)
		const at = `/v1/deployments/${agent.id}`
		await host.call(`${at}/endpoints`, { token: account.token, json: { url: receiver.url } })
		await run(host, agent)
		await until(async () => receiver.received.length === 1)
		await host.kill('SIGTERM')
		const [delivery] = await withSql(host, (sql) => sql`select attempts, lease_until from deliveries`)
		expect(delivery).toEqual({ attempts: 0, lease_until: null })
		const again = await host.again()
		try {
			await until(async () => receiver.received.length === 2)
		} finally {
			await again.close()
		}
	} finally {
		await host.close()
		await receiver.close()
		await models.close()
	}
})

test('a deleted deployment’s deliveries that were written before are still sent', async () => {
	const models = await startModelServer({ m: { text: 'Hello.' } })
	const receiver = await startReceiver()
	receiver.answers.push((response) => response.writeHead(500).end())
	const host = await startHost({ egressAllow: ['127.0.0.1'], env: { WEBHOOK_RETRY_SECONDS: '1' } })
	try {
		const account = await host.account()
		const agent = await deploy(
			host,
			account,
			await bundleOf({ model: `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }` }),
		)
		await host.call(`/v1/deployments/${agent.id}/endpoints`, {
			token: account.token,
			json: { url: receiver.url },
		})
		await run(host, agent)
		await until(async () => receiver.received.length === 1)
		expect(
			(await host.call(`/v1/deployments/${agent.id}`, { method: 'DELETE', token: account.token })).status,
		).toBe(204)
		await until(async () => receiver.received.length === 2)
	} finally {
		await host.close()
		await receiver.close()
		await models.close()
	}
})
