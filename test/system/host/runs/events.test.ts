import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundleOf, deploy, type Running, run, withSql } from '../../../kit/agent.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

// A run's events, streamed and resumed.

let host: TestHost
let models: ModelServer
let account: TestAccount
let agent: Running

beforeAll(async () => {
	models = await startModelServer({ m: { text: 'One two three four five six.', dripMs: 60, chunk: 4 } })
	host = await sharedHost()
	account = await host.account({ plan: 'team' })
	agent = await deploy(
		host,
		account,
		await bundleOf({ model: `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }` }),
	)
})
afterAll(async () => {
	await host?.close()
	await models?.close()
})

interface Frame {
	id: string
	event: string
	data: { seq: number; run: string; type: string; data: Record<string, unknown> }
}

/** Frames of a stream, until its end or until there are `enough`. */
async function read(response: Response, enough = Number.POSITIVE_INFINITY): Promise<Frame[]> {
	const frames: Frame[] = []
	let text = ''
	for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
		text += chunk
		for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
			const lines = text.slice(0, end).split('\n')
			text = text.slice(end + 2)
			const field = (name: string) =>
				lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? ''
			if (field('id'))
				frames.push({ id: field('id'), event: field('event'), data: JSON.parse(field('data')) })
			if (frames.length >= enough) return frames
		}
	}
	return frames
}

const stream = (headers: Record<string, string> = {}) =>
	fetch(`${agent.url}/run`, {
		method: 'POST',
		headers: {
			authorization: `Bearer ${agent.run_key}`,
			'content-type': 'application/json',
			accept: 'text/event-stream',
			...headers,
		},
		body: JSON.stringify({ inputs: {} }),
	})
const events = (id: string, last?: string) =>
	fetch(`${agent.url}/runs/${id}/events`, {
		headers: {
			authorization: `Bearer ${agent.run_key}`,
			...(last !== undefined && { 'last-event-id': last }),
		},
	})

describe('a stream of events', () => {
	// Proves: event.completed, event.stream, event.stream-headers
	test('tells a run from run.started to run.completed, with the model’s deltas as they come', async () => {
		const response = await stream()
		expect(response.status).toBe(200)
		expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
		expect(response.headers.get('x-accel-buffering')).toBe('no')
		expect(response.headers.get('cache-control')).toBe('no-store, no-transform')
		expect(response.headers.get('x-content-type-options')).toBe('nosniff')
		expect(response.headers.get('content-location')).toMatch(/\/runs\/run_/)
		const [first] = await read(response.clone(), 1)
		const head = await fetch(`${agent.url}/runs/${first?.data.run}/events`, {
			method: 'HEAD',
			headers: { authorization: `Bearer ${agent.run_key}` },
		})
		expect(head.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
		const frames = await read(response)
		const types = frames.map(({ event }) => event)
		expect(types[0]).toBe('run.started')
		expect(types.at(-1)).toBe('run.completed')
		expect(types.filter((type) => type === 'model.delta').length).toBeGreaterThan(2)
		expect(types.some((type) => type.startsWith('effect.'))).toBe(false)
		expect(frames.every(({ id, event, data }) => Number(id) === data.seq && event === data.type)).toBe(true)
		const seqs = frames.map(({ id }) => Number(id))
		expect(seqs).toEqual([...seqs].sort((a, b) => a - b))
	})

	// Proves: event.resume
	test('cut anywhere and resumed with Last-Event-ID gives the same events as one read in one go', async () => {
		const response = await stream()
		const cut = await read(response, 3)
		await response.body?.cancel().catch(() => undefined)
		const run = cut[0]?.data.run ?? ''
		const pieces = [...cut]
		for (let last = cut.at(-1)!; last.event !== 'run.completed'; last = pieces.at(-1)!) {
			const more = await read(await events(run, last.id), 2)
			expect(more.length).toBeGreaterThan(0)
			pieces.push(...more)
		}
		expect(pieces).toEqual(await read(await events(run)))
		expect(await read(await events(run, pieces.at(-1)!.id))).toEqual([])
	})

	// Proves: event.join-late
	test('of a run begun in another way can be read while it goes on', async () => {
		const accepted = await run(host, agent, {}, { prefer: 'respond-async' })
		const frames = await read(await events(accepted.body.id))
		expect(frames.at(-1)?.event).toBe('run.completed')
		expect(frames).toEqual(await read(await events(accepted.body.id)))
	})

	// Proves: run.idempotency-mode
	test('with an Idempotency-Key that is in use tells the run that holds it', async () => {
		const [one, two] = await Promise.all([
			stream({ 'idempotency-key': 's' }),
			stream({ 'idempotency-key': 's' }),
		])
		const [first, second] = await Promise.all([read(one), read(two)])
		expect(second.map(({ data }) => data.run)).toEqual(second.map(() => first[0]?.data.run))
		expect(second).toEqual(first)
	})

	test('refuses a Last-Event-ID that is no event’s', async () => {
		const accepted = await run(host, agent, {}, { prefer: 'respond-async' })
		for (const last of ['x', '-1', '1.5', '99999']) {
			const refused = await events(accepted.body.id, last)
			expect([refused.status, await refused.json()]).toMatchObject([
				400,
				{ detail: 'Last-Event-ID must be the id of an event of this run.' },
			])
		}
	})

	// Proves: event.unknown-id
	test('is refused beyond the end of the run, and empty from its last event on', async () => {
		const whole = await read(await stream())
		const { id, data } = whole.at(-1)!
		expect((await events(data.run, String(Number(id) + 1))).status).toBe(400)
		const after = await events(data.run, id)
		expect([after.status, await read(after)]).toEqual([200, []])
	})

	// Proves: event.revoked
	test('ends when what opened it lets nobody in any more; a call that waits is answered', async () => {
		const owner = await host.account({ plan: 'team' })
		const files = {
			'agent.ts': `import { agent } from 'berth'\nexport default agent(async (_, ctx) => { await ctx.approve('Well?'); return 'x' })\n`,
		}
		const asking = await deploy(host, owner, await bundleOf({ files }))
		const { body } = await run(host, asking, {}, { prefer: 'respond-async' })
		const keys = `/v1/deployments/${asking.id}/keys`
		const key = async () =>
			(
				await host.call<{ id: string; run_key: string }>(keys, {
					token: owner.token,
					json: { name: 'k', scopes: ['run', 'read', 'read:all'] },
				})
			).body
		const [revoked, expiring] = [await key(), await key()]
		const open = async (token: string) => {
			const authorization = `Bearer ${token}`
			const response = await fetch(`${asking.url}/runs/${body.id}/events`, { headers: { authorization } })
			expect(response.status).toBe(200)
			const state = { ended: false }
			const read = response.text().then((text) => {
				state.ended = true
				return text
			})
			return { state, read }
		}
		const ofKey = await open(revoked.run_key)
		const ofExpiring = await open(expiring.run_key)
		const ofOwner = await open(owner.token)
		const waiting = run(host, { ...asking, run_key: revoked.run_key }, {}, { prefer: 'wait=4' })
		await host.call(`${keys}/${revoked.id}`, { method: 'DELETE', token: owner.token })
		expect(await ofKey.read).not.toContain('run.completed')
		await withSql(host, async (sql) => {
			await sql`update run_keys set expires_at = now() where id = ${expiring.id}`
			// Forgotten, as after a minute.
			await sql`select pg_notify('berth_secrets', ${expiring.id})`
		})
		expect(await ofExpiring.read).not.toContain('run.completed')
		expect(ofOwner.state.ended).toBe(false)
		expect((await waiting).status).toBe(202)
		await host.call(`/v1/admin/accounts/${owner.id}`, {
			...{ method: 'PATCH', token: host.operator },
			json: { disabled: true },
		})
		expect(await ofOwner.read).not.toContain('run.completed')
	})
})
