import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CredentialList } from '../../../../host/api/credentials.ts'
import type { Deployment } from '../../../../host/api/deployments.ts'
import { noteCredential } from '../../../../host/credentials/credentials.ts'
import {
	bundleOf,
	create,
	deploy,
	putProviderKey,
	type Running,
	run,
	until,
	withDatabase,
	withSql,
} from '../../../kit/agent.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

// State and error of a credential are those of its last use. What is not its fault is not told of it.

let host: TestHost
let models: ModelServer
let account: TestAccount
let bundle: Uint8Array

beforeAll(async () => {
	models = await startModelServer({ m: { text: 'Hello.' } })
	bundle = await bundleOf({ model: `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }` })
	host = await sharedHost()
	account = await host.account({ plan: 'team' })
})
afterAll(async () => {
	await host?.close()
	await models?.close()
})

async function provider(at: { url: string }) {
	const { body } = await host.call<CredentialList>(`${at.url}/credentials`, { token: account.token })
	const { state, last_error, last_used_at } = body.data[0] ?? {}
	return { state, last_error, last_used_at: Date.parse(last_used_at ?? '') }
}
const read = async ({ id }: { id: string }) =>
	(await host.call<Deployment>(`/v1/deployments/${id}`, { token: account.token })).body

describe('a credential', () => {
	// Proves: credential.state-of-last-use
	test('is rejected after a use that failed, and ready after one that served, at once', async () => {
		const agent = await deploy(host, account, bundle)
		for (const [fault, status, state] of [
			[undefined, 200, 'ready'],
			[{ status: 401 }, 502, 'rejected'],
			[undefined, 200, 'ready'],
			[{ status: 401 }, 502, 'rejected'],
			[undefined, 200, 'ready'],
		] as const) {
			models.scripts.m = fault ? { fault } : { text: 'Hello.' }
			expect((await run(host, agent)).status).toBe(status)
			await until(async () => (await provider(agent)).state === state)
			expect((await provider(agent)).last_error === null).toBe(state === 'ready')
		}
	})

	// Proves: credential.state-of-last-use
	test('is as its last use left it, in whatever order hosts tell of their uses', async () => {
		const agent = await deploy(host, account, bundle)
		const now = (await provider(agent)).last_used_at
		expect(now).toBeGreaterThan(Date.now() - 60_000)
		await withDatabase(host, async ({ sql }) => {
			const at = { sql, deployments: { changed: async () => undefined } }
			const note = (state: 'ready' | 'rejected', used_at: number) =>
				noteCredential(at, {
					...{ deployment: agent.id, name: 'provider', version: 1, state, used_at },
					error: state === 'ready' ? null : `failed at ${used_at}`,
				})
			await note('rejected', now + 20)
			await note('ready', now + 10)
			expect(await provider(agent)).toMatchObject({ state: 'rejected', last_error: `failed at ${now + 20}` })
			await note('ready', now + 30)
			await note('rejected', now + 25)
			expect(await provider(agent)).toEqual({ state: 'ready', last_error: null, last_used_at: now + 30 })
			// A clock that is an hour ahead does not decide for an hour.
			await note('rejected', now + 3_600_000)
			await note('ready', Date.now() + 50)
			expect((await provider(agent)).state).toBe('ready')
		})
	})
})

describe('a deployment whose sealing key does not open', () => {
	const broken = /sealing key does not open under this host's master key/
	/** As a row that was restored from elsewhere; the host hears of it as of any change. */
	async function breakKey({ id }: { id: string }): Promise<void> {
		await withSql(
			host,
			(sql) => sql`
			update deployments set sealing_wrapped = 'A' || substr(sealing_wrapped, 2, 20) || reverse(substr(sealing_wrapped, 22)),
				rev = rev + 1
			where id = ${id}`,
		)
	}
	const blameless = { state: 'ready', last_error: null }

	// Proves: deployment.sealing-key-lost
	test('is failed with the reason, and blames no credential, when it runs', async () => {
		const agent: Running = await deploy(host, account, bundle)
		await breakKey(agent)
		const name = `${agent.name}-again`
		await host.call(`/v1/deployments/${agent.id}`, { method: 'PATCH', token: account.token, json: { name } })
		await until(async () => (await run(host, agent)).body.code === 'deployment_not_running')
		const { state, state_reason } = await read(agent)
		expect(state).toBe('failed')
		expect(state_reason).toMatch(broken)
		expect(await provider(agent)).toMatchObject(blameless)
	})

	// Proves: deployment.failed-reason, deployment.sealing-key-lost
	test.each(['upload', 'start'])('is failed with the reason at %s', async (step) => {
		const { body: made } = await create(host, account, bundle, `broken-at-${step}`)
		if (step === 'start') await putProviderKey(host, made, account.token)
		await breakKey(made)
		const answer =
			step === 'start'
				? await host.call(`/v1/deployments/${made.id}/start`, { method: 'POST', token: account.token })
				: await putProviderKey(host, made, account.token)
		expect([answer.status, answer.body.code]).toEqual([500, 'internal_error'])
		expect(answer.text).toMatch(broken)
		expect(await read(made)).toMatchObject({ state: 'failed', state_reason: expect.stringMatching(broken) })
		if (step === 'start') expect(await provider(made)).toMatchObject(blameless)
	})
})
