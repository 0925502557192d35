import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Account } from '../../../../host/api/account.ts'
import { rules } from '../../../../host/deployments/states.ts'
import { bundleOf, create, deploy, putProviderKey, run, until, withSql } from '../../../kit/agent.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

// Every state, everything that may be asked in it, and what becomes of it.

let host: TestHost
let models: ModelServer
let account: TestAccount
let bundle: Uint8Array
let slow: Uint8Array

beforeAll(async () => {
	models = await startModelServer({ m: { text: 'done' }, slow: { text: 'done', delayMs: 1000 } })
	const using = (name: string) =>
		bundleOf({ model: `{ provider: openai, name: ${name}, base_url: "${models.openaiUrl}" }` })
	bundle = await using('m')
	slow = await using('slow')
	host = await sharedHost()
	account = await host.account({ plan: 'team' })
})
afterAll(async () => {
	await host?.close()
	await models?.close()
})

type State = keyof typeof rules
type Action = keyof (typeof rules)['creating']

const address: Record<Action, [method: string, path: string, json?: unknown]> = {
	start: ['POST', '/start'],
	stop: ['POST', '/stop', { drain_seconds: 10 }],
	cancel: ['POST', '/cancel'],
	delete: ['DELETE', ''],
	activate: ['POST', '/versions/1/activate'],
	upload: ['PUT', '/credentials/provider'],
}

/** A deployment in that state, come to it as it would in life. */
const bring: Record<State, () => Promise<{ id: string; url: string }>> = {
	creating: async () => {
		const { body } = await create(host, account, bundle, name())
		await putProviderKey(host, body, account.token)
		return body
	},
	running: () => deploy(host, account, bundle, name()),
	stopping: async () => {
		const agent = await deploy(host, account, slow, name())
		run(host, agent).catch(() => undefined)
		await until(async () => (await state(agent.id, '/runs?status=live')).length > 0)
		ask(agent.id, 'stop').catch(() => undefined)
		await until(async () => (await read(agent.id)).state === 'stopping')
		return agent
	},
	failed: async () => {
		const made = await bring.creating()
		await withSql(host, async (sql) => {
			const [row] = await sql`select digest from versions where deployment_id = ${made.id}`
			await sql`insert into bundles (digest, bytes) values (${`broken-${made.id}`}, ${Buffer.from('no zip')})`
			await sql`update versions set digest = ${`broken-${made.id}`} where deployment_id = ${made.id}`
			return row
		})
		expect((await ask(made.id, 'start')).body).toMatchObject({ status: 500, code: 'internal_error' })
		return made
	},
	stopped: async () => {
		const agent = await deploy(host, account, bundle, name())
		await ask(agent.id, 'stop')
		return agent
	},
}

let counter = 0
const name = () => `state-${++counter}`
const read = async (id: string) =>
	(
		await host.call<{ state: string; state_reason: string | null }>(`/v1/deployments/${id}`, {
			token: account.token,
		})
	).body

async function state(id: string, path: string): Promise<unknown[]> {
	const { url } = (await host.call<{ url: string }>(`/v1/deployments/${id}`, { token: account.token })).body
	return (await host.call<{ data: unknown[] }>(`${url}${path}`, { token: account.token })).body.data
}

async function ask(id: string, action: Action) {
	if (action === 'upload') {
		const { body } = await host.call<never>(`/v1/deployments/${id}`, { token: account.token })
		return putProviderKey(host, body, account.token)
	}
	const [method, path, json] = address[action]
	return host.call(`/v1/deployments/${id}${path}`, { method, token: account.token, json })
}

const is = (status: number, to: State | 'deleted') => ({ status, to })
const refused = (to: State) => ({ status: 409, code: 'conflict', to })

const table: Record<State, Record<Action, { status: number; code?: string; to: State | 'deleted' }>> = {
	creating: {
		start: is(200, 'running'),
		stop: is(200, 'stopped'),
		cancel: is(200, 'stopped'),
		delete: is(204, 'deleted'),
		activate: is(200, 'creating'),
		upload: is(200, 'creating'),
	},
	running: {
		start: is(200, 'running'),
		stop: is(200, 'stopped'),
		cancel: refused('running'),
		delete: is(204, 'deleted'),
		activate: is(200, 'running'),
		upload: is(200, 'running'),
	},
	stopping: {
		start: refused('stopping'),
		stop: is(200, 'stopped'),
		cancel: refused('stopping'),
		delete: is(204, 'deleted'),
		activate: is(200, 'stopping'),
		upload: is(200, 'stopping'),
	},
	failed: {
		start: refused('failed'),
		stop: is(200, 'stopped'),
		cancel: is(200, 'stopped'),
		delete: is(204, 'deleted'),
		activate: refused('failed'),
		upload: refused('failed'),
	},
	stopped: {
		start: is(200, 'running'),
		stop: is(200, 'stopped'),
		cancel: is(200, 'stopped'),
		delete: is(204, 'deleted'),
		activate: is(200, 'stopped'),
		upload: is(200, 'stopped'),
	},
}

const cases = Object.entries(table).flatMap(([from, actions]) =>
	Object.entries(actions).map(([action, expected]) => ({
		from: from as State,
		action: action as Action,
		...expected,
	})),
)

describe('a deployment', () => {
	// Proves: deployment.states
	test('has a rule for each case of the table', () => {
		expect(Object.keys(rules).sort()).toEqual(Object.keys(table).sort())
	})

	// Proves: deployment.states
	test.each(cases)(
		'that is $from answers $status to $action and is $to',
		async ({ from, action, status, code, to }) => {
			const { id, url } = await bring[from]()
			expect((await read(id)).state).toBe(from)
			const answer = await ask(id, action)
			expect([answer.status, answer.body.code]).toEqual([status, code])
			const now = await host.call(`/v1/deployments/${id}`, { token: account.token })
			if (to === 'deleted') {
				expect([now.status, now.body.code]).toEqual([410, 'deployment_not_running'])
				expect((await host.call(url, { token: account.token })).status).toBe(410)
			} else expect(now.body.state).toBe(to)
		},
	)

	// Proves: deployment.deleted-gone
	test('that is deleted answers 410 to its own', async () => {
		const { id, url, run_key } = await deploy(host, account, bundle, name())
		await ask(id, 'delete')
		const answer = (at: string, token: string) => host.call(`${at}/runs`, { token })
		for (const token of [account.token, run_key])
			expect(await answer(url, token)).toMatchObject({
				status: 410,
				body: { code: 'deployment_not_running' },
			})
	})

	// Proves: deployment.address-kept
	test('keeps its address when it is renamed', async () => {
		const { id, url } = await bring.creating()
		const json = { name: name() }
		const { body } = await host.call(`/v1/deployments/${id}`, { method: 'PATCH', token: account.token, json })
		expect(body).toMatchObject({ ...json, url })
	})

	// Proves: deployment.strangers-404
	test('answers a stranger at an address that is there, that was, and that never was alike', async () => {
		const owned = await deploy(host, account, bundle, name())
		const gone = await deploy(host, account, bundle, name())
		const other = await deploy(host, await host.account(), bundle, name())
		await ask(gone.id, 'delete')
		const stranger = (await host.account()).token
		const forged = owned.run_key.replace(/_[^_]*$/, '_000000')
		for (const token of [stranger, other.run_key, 'nonsense', forged, 'brk_nonsense', undefined]) {
			for (const path of ['', '/runs', '/runs/run_x/approvals', '/credentials', '/memory', '/openapi.json']) {
				const answers = await Promise.all(
					[owned.url, gone.url, `${host.url}/d/no-such-0000000000`].map(async (url) => {
						const { status, body } = await host.call(`${url}${path}`, token === undefined ? {} : { token })
						return [status, body.code, body.detail]
					}),
				)
				expect([401, 403, 404]).toContain(answers[0]?.[0])
				expect([token, path, answers[1]]).toEqual([token, path, answers[0]])
				expect([token, path, answers[2]]).toEqual([token, path, answers[0]])
			}
		}
	})

	// Proves: deployment.deleted-erased
	test('that is deleted has no sealing key, no credential and no run key left in the database', async () => {
		const { id } = await bring.running()
		await ask(id, 'delete')
		await withSql(host, async (sql) => {
			expect(
				await sql`select sealing_wrapped, sealing_jwk::text, sealing_kid from deployments where id = ${id}`,
			).toEqual([{ sealing_wrapped: null, sealing_jwk: null, sealing_kid: null }])
			expect(await sql`select jwe from credentials where deployment_id = ${id}`).toEqual([{ jwe: null }])
			expect(await sql`select 1 from run_keys where deployment_id = ${id} and revoked_at is null`).toEqual([])
		})
		expect((await ask(id, 'delete')).status).toBe(410)
	})

	// Proves: deployment.failed-holds-slot, deployment.failed-reason
	test('that failed says why, and holds its slot until it is cancelled', async () => {
		const { id } = await bring.failed()
		expect((await read(id)).state_reason).toMatch(/bundle|prepared/)
		const holds = async () => {
			const { body } = await host.call<typeof Account._output>('/v1/account', { token: account.token })
			return body.slots.held.some(({ deployment }) => deployment === id)
		}
		expect(await holds()).toBe(true)
		await ask(id, 'cancel')
		expect((await read(id)).state).toBe('stopped')
		expect(await holds()).toBe(false)
	})
})
