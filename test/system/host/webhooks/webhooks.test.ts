import type { ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import * as api from '../../../../host/api/endpoints.ts'
import { bundleOf, deploy, type Running, run, until, withSql } from '../../../kit/agent.ts'
import { startHost, type TestAccount, type TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { type Receiver, startReceiver, status } from '../../../kit/receiver.ts'

// Signed as Standard Webhooks says, at least once, retried on a schedule, with a log.

let host: TestHost
let models: ModelServer
let account: TestAccount
let agent: Running
let receiver: Receiver

beforeAll(async () => {
	models = await startModelServer({
		m: { text: 'Hello.' },
		long: { text: 'x'.repeat(20_000) },
		bad: { fault: { status: 401 } },
	})
	host = await startHost({
		egressAllow: ['127.0.0.1'],
		env: { WEBHOOK_RETRY_SECONDS: '0.05,0.1,0.1', WEBHOOK_TIMEOUT_SECONDS: '0.4' },
	})
})
beforeEach(async () => {
	receiver = await startReceiver()
	account = await host.account({ plan: 'pro' })
	agent = await made('m')
	return () => receiver.close()
})
afterAll(async () => {
	await host?.close()
	await models?.close()
})

const made = async (name: string) =>
	deploy(
		host,
		account,
		await bundleOf({ model: `{ provider: openai, name: ${name}, base_url: "${models.openaiUrl}" }` }),
	)
const at = (path: string, of = agent) => `/v1/deployments/${of.id}${path}`
const call = <T = Record<string, unknown>>(method: string, path: string, json?: unknown) =>
	host.call<T>(path, { method, token: account.token, json })
const add = async (json: object = {}, of = agent) =>
	(await call<api.EndpointWithSecret>('POST', at('/endpoints', of), { url: receiver.url, ...json })).body
const deliveries = async (query = '') =>
	(await call<api.DeliveryPage>('GET', at(`/deliveries${query}`))).body.data
const finished = () =>
	until(async () => {
		const all = await deliveries()
		return all.length > 0 && all.every((delivery) => delivery.status !== 'pending') && all
	})
const verify = (secret: string, { body, headers } = receiver.received[0]!) =>
	new Webhook(secret).verify(body, headers) as {
		type: string
		timestamp: string
		data: Record<string, unknown>
	}

describe('a run that ends', () => {
	// Proves: event.completed, webhook.deliveries-of-run, webhook.signed, webhook.body, webhook.secret-once
	test('is told to its endpoint, signed so that the standardwebhooks package believes it', async () => {
		const endpoint = await add()
		expect(api.EndpointWithSecret.parse(endpoint)).toEqual(endpoint)
		const { body } = await run(host, agent)
		const [delivery] = await finished()
		expect(api.Delivery.parse(delivery)).toEqual(delivery)
		const event = verify(endpoint.secret)
		const { inputs: _, ...shown } = body
		expect(event).toMatchObject({
			type: 'run.completed',
			data: { ...shown, url: `${agent.url}/runs/${body.id}` },
		})
		expect(event.data).not.toHaveProperty('inputs')
		expect(receiver.received[0]?.headers).toMatchObject({
			'webhook-id': delivery?.event,
			'content-type': 'application/json; charset=utf-8',
		})
		expect(delivery).toMatchObject({
			run: body.id,
			status: 'delivered',
			// After others, where this busy machine did not answer in time.
			attempts: expect.arrayContaining([expect.objectContaining({ status: 200, answer: 'thanks' })]),
		})
		expect((await call('GET', at('/endpoints'))).text).not.toContain(endpoint.secret)
		await run(host, agent)
		await until(async () => (await deliveries()).length === 2)
		expect(await deliveries(`?run=${body.id}`)).toEqual([delivery])
		expect(await deliveries('?run=run_of_nobody')).toEqual([])
	})

	// Proves: webhook.types
	test('is told to every endpoint that wants its type, and to no other', async () => {
		const failing = await made('bad')
		const { id } = await add({ events: ['run.failed'] }, failing)
		await add({ events: ['run.completed', 'run.cancelled'] }, failing)
		const last = await add({}, failing)
		await run(host, failing)
		await until(async () => receiver.received.length === 2)
		const all = (await call<api.DeliveryPage>('GET', at('/deliveries', failing))).body.data
		expect(all.map(({ endpoint }) => endpoint).sort()).toEqual([id, last.id].sort())
		expect(new Set(all.map(({ event }) => event)).size).toBe(1)
		expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({
			type: 'run.failed',
			data: { status: 'failed', error: { code: 'provider_auth_failed' } },
		})
	})

	// Proves: webhook.output-limit
	test('with over 16 KiB of output is told without it, and where it is', async () => {
		const long = await made('long')
		await add({}, long)
		const { body } = await run(host, long)
		await until(async () => receiver.received.length === 1)
		const { data } = JSON.parse(receiver.received[0]!.body)
		expect(data).toMatchObject({ output: null, output_omitted: true })
		expect((await host.call(data.url, { token: long.run_key })).body.output).toBe(body.output)
	})
})

describe('a delivery', () => {
	// Proves: webhook.same-id, webhook.log
	// Proves: webhook.redirect-fails
	test('that fails is tried again with the same webhook-id and body, until it is taken', async () => {
		receiver.answers.push(status(500, {}, 'no'), status(302, { location: receiver.url }), (response) =>
			response.destroy(),
		)
		const { secret } = await add()
		await run(host, agent)
		const [delivery] = await finished()
		expect(delivery?.attempts.map(({ status: code }) => code)).toEqual([500, 302, null, 200])
		expect(delivery?.attempts[0]?.answer).toBe('no')
		expect(delivery?.attempts[2]?.error).toEqual(expect.any(String))
		expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
		expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
		for (const received of receiver.received) verify(secret, received)
	})

	// Proves: webhook.exhausted
	test('that fails to the end of its schedule has failed, and is sent again when it is asked for', async () => {
		receiver.answers.push(...Array.from({ length: 4 }, () => status(503)))
		await add()
		await run(host, agent)
		const [failed] = await finished()
		expect(failed).toMatchObject({ status: 'failed', next_attempt_at: null })
		expect(failed?.attempts).toHaveLength(4)
		const again = await call<api.Delivery>('POST', at(`/deliveries/${failed?.id}/redeliver`))
		expect(again.status).toBe(200)
		const delivered = await until(async () => (await deliveries('?status=delivered'))[0])
		expect(delivered.attempts.map(({ attempt, status: code }) => [attempt, code])).toEqual([
			[1, 503],
			[2, 503],
			[3, 503],
			[4, 503],
			[5, 200],
		])
	})

	// Proves: webhook.time-out
	test('gets no answer in time: that is an attempt, and the next one follows', async () => {
		receiver.answers.push(() => undefined)
		await add()
		await run(host, agent)
		const [delivery] = await finished()
		expect(delivery?.attempts).toMatchObject([
			{ status: null, error: expect.stringContaining('0.4') },
			{ status: 200 },
		])
	})

	// Proves: webhook.retry-after
	test('waits as long as Retry-After asks for', async () => {
		receiver.answers.push(status(429, { 'retry-after': '1' }))
		await add()
		await run(host, agent)
		await finished()
		const [first, second] = receiver.received
		expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(900)
	})

	// Proves: webhook.redeliver-span
	test('of a span of time is sent again', async () => {
		receiver.answers.push(...Array.from({ length: 8 }, () => status(500)))
		await add()
		const since = new Date(Date.now() - 60_000).toISOString()
		await run(host, agent)
		await run(host, agent)
		await until(async () => (await deliveries('?status=failed')).length === 2)
		const count = (json: object) => call<{ deliveries: number }>('POST', at('/deliveries/redeliver'), json)
		expect((await count({ since, until: since })).body.deliveries).toBe(0)
		expect(await count({ since, until: '2020-01-01T00:00:00Z' })).toMatchObject({
			status: 400,
			body: { detail: '/until: is before `since`' },
		})
		expect((await count({ since })).body.deliveries).toBe(2)
		await until(async () => (await deliveries('?status=delivered')).length === 2)
		expect((await count({ since })).body.deliveries).toBe(0)
		expect((await count({ since, status: 'all' })).body.deliveries).toBe(2)
		await until(async () => receiver.received.length === 12)
	})

	// Proves: webhook.log
	test('keeps the first KiB of an endless answer, and lets go of it', async () => {
		receiver.answers.push((response) => {
			response.writeHead(200)
			const flood = () => {
				while (!response.destroyed && response.write('y'.repeat(16_384)));
			}
			response.on('drain', flood)
			flood()
		})
		await add()
		await run(host, agent)
		const [delivery] = await finished()
		expect(delivery).toMatchObject({
			status: 'delivered',
			attempts: [{ status: 200, answer: 'y'.repeat(1024) }],
		})
	})

	// Proves: webhook.slow-endpoint
	test('to a slow endpoint holds up no other', async () => {
		const slow = await startReceiver()
		slow.answers.push(...Array.from({ length: 100 }, () => () => undefined))
		await call('POST', at('/endpoints'), { url: slow.url })
		await add()
		await Promise.all(Array.from({ length: 30 }, () => run(host, agent)))
		await until(async () => receiver.received.length === 30)
		// Four attempts each, eight of them at once: it is far from given up.
		expect(slow.received.length).toBeLessThan(4 * 30)
		await slow.close()
	})
})

describe('an endpoint', () => {
	test.each([
		['stands still', () => undefined],
		[
			'never ends',
			(response: ServerResponse) => void setInterval(() => response.write('more '.repeat(5000)), 5).unref(),
		],
	] as const)('whose 200 has a body that %s has been told: its status is its answer', async (_, goOn) => {
		receiver.answers.push((response) => {
			response.writeHead(200).write('more ')
			goOn(response)
		})
		await add()
		await run(host, agent)
		const [delivery] = await finished()
		expect(delivery).toMatchObject({ status: 'delivered', attempts: [{ status: 200, error: null }] })
		expect(receiver.received).toHaveLength(1)
	})

	// Proves: webhook.gone, webhook.disabled-kept
	test('that answers 410 is disabled at once, with the reason, and can be switched on again', async () => {
		receiver.answers.push(status(410))
		const { id } = await add()
		await run(host, agent)
		const disabled = await until(async () => {
			const { body } = await call<api.Endpoint>('GET', at(`/endpoints/${id}`))
			return body.disabled_at !== null && body
		})
		expect(disabled.disabled_reason).toContain('410')
		await run(host, agent)
		const [missed, gone, ...none] = await deliveries()
		expect(none).toEqual([])
		expect(gone).toMatchObject({ status: 'failed', attempts: [{ status: 410 }] })
		expect(missed).toMatchObject({ status: 'failed', attempts: [], next_attempt_at: null })
		expect(missed?.completed_at).not.toBeNull()
		const on = await call<api.Endpoint>('PATCH', at(`/endpoints/${id}`), { disabled: false })
		expect(on.body).toMatchObject({ disabled_at: null, disabled_reason: null, failing_since: null })
		await run(host, agent)
		await until(async () => receiver.received.length === 2)
		const sent = await call('POST', at('/deliveries/redeliver'), { since: disabled.created_at })
		expect(sent.body).toEqual({ deliveries: 2 })
		await until(async () => receiver.received.length === 4)
		expect(receiver.received.slice(2).map(({ headers }) => headers['webhook-id'])).toEqual(
			expect.arrayContaining([missed?.event, gone?.event]),
		)
	})

	// Proves: webhook.five-days
	test('that has failed for five days is disabled, and what waits for it has failed', async () => {
		const { id } = await add()
		await withSql(
			host,
			(sql) => sql`update endpoints set failing_since = now() - interval '5 days 1 minute' where id = ${id}`,
		)
		receiver.answers.push(status(500))
		await run(host, agent)
		const disabled = await until(async () => {
			const { body } = await call<api.Endpoint>('GET', at(`/endpoints/${id}`))
			return body.disabled_at !== null && body
		})
		expect(disabled.disabled_reason).toContain('5 days')
		expect(await finished()).toMatchObject([{ status: 'failed', next_attempt_at: null }])
	})

	// Proves: webhook.five-days
	test('whose delivery gets through after failures is not failing any more', async () => {
		receiver.answers.push(status(500))
		const { id } = await add()
		await run(host, agent)
		await finished()
		await until(
			async () => (await call<api.Endpoint>('GET', at(`/endpoints/${id}`))).body.failing_since === null,
		)
	})

	// Proves: webhook.ping
	test('is pinged, and its answer is shown', async () => {
		const { id, secret } = await add({ events: ['run.failed'] })
		const ping = await call<api.Delivery>('POST', at(`/endpoints/${id}/ping`))
		expect(ping.body).toMatchObject({
			type: 'ping',
			run: null,
			status: 'delivered',
			attempts: [{ status: 200 }],
		})
		expect(verify(secret)).toMatchObject({ type: 'ping', data: { endpoint: id } })
		receiver.answers.push(status(500))
		const failed = await call<api.Delivery>('POST', at(`/endpoints/${id}/ping`))
		expect(failed.body).toMatchObject({ status: 'failed', attempts: [{ attempt: 1, status: 500 }] })
	})

	// Proves: webhook.rotation
	test('is signed for with both secrets while one is rotated', async () => {
		const { id, secret: old } = await add()
		const { body: rotated } = await call<api.EndpointWithSecret>('POST', at(`/endpoints/${id}/rotate`), {})
		expect(rotated.secret).not.toBe(old)
		await run(host, agent)
		await until(async () => receiver.received.length === 1)
		for (const secret of [old, rotated.secret]) expect(verify(secret).type).toBe('run.completed')
		await call('POST', at(`/endpoints/${id}/rotate`), { overlap_seconds: 0 })
		await run(host, agent)
		await until(async () => receiver.received.length === 2)
		expect(() => verify(rotated.secret, receiver.received[1])).toThrow()
	})

	// Proves: webhook.deleted-endpoint
	test('that is deleted is told nothing more', async () => {
		const { id } = await add()
		expect((await call('DELETE', at(`/endpoints/${id}`))).status).toBe(204)
		await run(host, agent)
		expect((await call('GET', at(`/endpoints/${id}`))).status).toBe(404)
		expect((await call<api.EndpointList>('GET', at('/endpoints'))).body.data).toEqual([])
		expect(await deliveries()).toEqual([])
	})

	// Proves: webhook.endpoint-count
	test('is one of twenty at most, and each of them is told', async () => {
		for (let i = 0; i < 20; i++) expect((await add()).id).toMatch(/^end_/)
		const more = await call('POST', at('/endpoints'), { url: receiver.url })
		expect([more.status, more.body.code]).toEqual([409, 'conflict'])
		await run(host, agent)
		await until(async () => receiver.received.length === 20)
		expect(new Set((await deliveries('?limit=100')).map(({ id }) => id)).size).toBe(20)
	})

	// Proves: webhook.address-checked
	test.each([
		['no URL', 'hello'],
		['another scheme', 'ftp://example.com'],
		['a fragment', 'https://example.com/hook#part'],
		['a private address', 'http://10.0.0.1/'],
		['a metadata service', 'http://169.254.169.254/latest/meta-data'],
		['loopback by another spelling', 'http://0x7f.2/'],
		['a user name', 'https://user:pass@example.com/'],
	])('with %s is refused before anything is sent', async (_what, url) => {
		const answer = await call('POST', at('/endpoints'), { url })
		expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request'])
	})

	// Proves: webhook.address-checked
	test('at this host itself is refused when it is made or changed, and not called even if its row is edited', async () => {
		const { id } = await add()
		const port = new URL(host.url).port
		for (const url of [
			host.url,
			`${host.url}/hook`,
			`http://localhost:${port}/`,
			`http://127.0.0.2:${port}/`,
		]) {
			const refused = {
				status: 400,
				body: {
					code: 'invalid_request',
					detail: expect.stringContaining('is an address of this host itself'),
				},
			}
			expect(await call('POST', at('/endpoints'), { url })).toMatchObject(refused)
			expect(await call('PATCH', at(`/endpoints/${id}`), { url })).toMatchObject(refused)
		}
		const { body } = await call('POST', at('/endpoints'), { url: `http://[::1]:${port}/` })
		expect(body).toMatchObject({
			detail: expect.stringMatching(`^\\[::1\\]:${port} is an address of this host`),
		})
		await withSql(host, (sql) => sql`update endpoints set url = ${host.url} where id = ${id}`)
		await run(host, agent)
		const [delivery] = await finished()
		const error = expect.stringContaining('is an address of this host itself')
		expect(delivery?.attempts[0]).toMatchObject({ status: null, error })
	})

	// Proves: webhook.address-checked
	test('that was edited past the check is not called all the same', async () => {
		const { id } = await add()
		await withSql(host, (sql) => sql`update endpoints set url = 'http://169.254.169.254/' where id = ${id}`)
		await run(host, agent)
		const [delivery] = await finished()
		expect(delivery).toMatchObject({ status: 'failed' })
		expect(delivery?.attempts[0]).toMatchObject({
			status: null,
			error: expect.stringContaining('not allowed'),
		})
	})
})
