import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Credential, CredentialList } from '../../../../host/api/credentials.ts'
import type { CreatedDeployment } from '../../../../host/api/deployments.ts'
import { seal } from '../../../../host/owner/client/index.ts'
import { bundleOf, create, deploy, putProviderKey, run, until, upload, withSql } from '../../../kit/agent.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

// Sealed on the owner's machine, write-only, in use from the next call on.

let host: TestHost
let models: ModelServer
let others: ModelServer
let account: TestAccount
let bundle: Uint8Array

const model = (server: ModelServer) => `{ provider: openai, name: m, base_url: "${server.openaiUrl}" }`

beforeAll(async () => {
	models = await startModelServer({ m: { text: 'Hello.' } }, { key: 'sk-test' })
	others = await startModelServer({ m: { text: 'Hello from elsewhere.' } }, { key: 'sk-test' })
	bundle = await bundleOf({ model: model(models) })
	host = await sharedHost()
	account = await host.account({ plan: 'team' })
})
afterAll(async () => {
	await host?.close()
	await models?.close()
	await others?.close()
})

const list = (at: { url: string }, token = account.token) =>
	host.call<CredentialList>(`${at.url}/credentials`, { token })
let counter = 0
const made = async () => (await create(host, account, bundle, `c-${++counter}`)).body
const put = (at: { url: string }, jwe: string, token = account.token, name = 'provider') =>
	host.call(`${at.url}/credentials/${encodeURIComponent(name)}`, { method: 'PUT', token, json: { jwe } })

describe('a credential', () => {
	// Proves: credential.sealed-by-owner, credential.write-only
	test('is uploaded sealed and read without its value', async () => {
		const at = await made()
		const answer = await putProviderKey(host, at, account.token, 'sk-very-secret')
		expect(answer.status).toBe(200)
		expect(Credential.parse(answer.body)).toEqual(answer.body)
		expect(answer.body).toMatchObject({ name: 'provider', state: 'ready', version: 1, last_error: null })
		const listed = await list(at)
		expect(CredentialList.parse(listed.body)).toEqual(listed.body)
		expect(listed.body.sealing_key).toEqual(at.sealing_key)
		expect(listed.text).not.toContain('sk-very-secret')
		const one = await host.call(`${at.url}/credentials/provider`, { token: account.token })
		expect(one.body).toEqual(answer.body)
	})

	// Proves: credential.sealed-elsewhere-refused
	test.each<[string, (at: CreatedDeployment, other: CreatedDeployment) => Promise<string>]>([
		[
			'another deployment',
			(at, other) =>
				seal(
					at.sealing_key,
					{ deployment: other.id, name: 'provider', aud: new URL(models.url).origin },
					{ api_key: 'k' },
				),
		],
		[
			'the key of another deployment',
			(at, other) =>
				seal(
					other.sealing_key,
					{ deployment: at.id, name: 'provider', aud: new URL(models.url).origin },
					{ api_key: 'k' },
				),
		],
		[
			'another name',
			(at) =>
				seal(
					at.sealing_key,
					{ deployment: at.id, name: 'connector:x', aud: new URL(models.url).origin },
					{ api_key: 'k' },
				),
		],
		[
			'another address',
			(at) =>
				seal(
					at.sealing_key,
					{ deployment: at.id, name: 'provider', aud: 'https://evil.example' },
					{ api_key: 'k' },
				),
		],
		[
			'no key inside',
			(at) =>
				seal(
					at.sealing_key,
					{ deployment: at.id, name: 'provider', aud: new URL(models.url).origin },
					{ token: 'k' },
				),
		],
		['no JWE', async () => 'hello'],
		['plaintext', async () => 'sk-plain'],
	])('sealed to %s is refused and changes nothing', async (_what, sealed) => {
		const [at, other] = [await made(), await made()]
		const answer = await put(at, await sealed(at, other))
		expect([answer.status, answer.body.code]).toEqual([422, 'credential_rejected'])
		expect((await list(at)).body.data).toMatchObject([{ state: 'missing', version: 0 }])
	})

	test('of a name the agent does not need is not found', async () => {
		const at = await made()
		const answer = await put(at, 'x', account.token, 'connector:nothing')
		expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
		expect(answer.body.detail).toContain('provider')
	})

	// Proves: credential.who-uploads
	test('is taken from the owner and the upload token of that deployment, never from a run key or anybody else', async () => {
		const [at, other] = [await made(), await made()]
		const jwe = await seal(
			at.sealing_key,
			{ deployment: at.id, name: 'provider', aud: new URL(models.url).origin },
			{ api_key: 'k' },
		)
		expect((await put(at, jwe, at.upload_token)).status).toBe(200)
		expect((await put(at, jwe, other.upload_token)).status).toBeGreaterThanOrEqual(401)
		expect((await put(at, jwe, (await host.account()).token)).status).toBe(404)
		const agent = await deploy(host, account, bundle)
		for (const answer of [
			await put(agent, jwe, agent.run_key),
			await list(agent, agent.run_key),
			await host.call(`${agent.url}/credentials`, { headers: { cookie: 'berth_session=x' } }),
		]) {
			expect(answer.status).toBeGreaterThanOrEqual(401)
			expect(answer.status).toBeLessThan(405)
		}
		expect((await host.call('/v1/deployments', { token: at.upload_token })).status).toBe(401)
		expect((await host.call(`${at.url}/runs`, { token: at.upload_token })).status).toBe(401)
	})

	// Proves: credential.upload-token-hour
	test('is taken from an upload token for an hour', async () => {
		const own = await host.account({ plan: 'pro' })
		const { body: at } = await create(host, own, bundle, 'in-time')
		const { body: late } = await create(host, own, bundle, 'late')
		const left = Date.parse(at.upload_token_expires_at) - Date.now()
		expect(Math.abs(left - 3_600_000)).toBeLessThan(60_000)
		await withSql(
			host,
			(sql) => sql`
				update tokens set expires_at = now() - interval '1 second' where deployment_id = ${late.id}`,
		)
		expect((await put(at, 'x', at.upload_token)).body.code).toBe('credential_rejected')
		expect((await put(late, 'x', late.upload_token)).status).toBe(401)
	})

	// Proves: credential.replaced-next-call
	test('is in use from the next run on after it is replaced, without a restart', async () => {
		const agent = await deploy(host, account, bundle)
		expect((await run(host, agent)).status).toBe(200)
		const at = (await host.call<CreatedDeployment>(`/v1/deployments/${agent.id}`, { token: account.token }))
			.body
		await putProviderKey(host, at, account.token, 'sk-revoked')
		const refused = await run(host, agent)
		expect([refused.status, refused.body.code]).toEqual([502, 'provider_auth_failed'])
		await until(async () => (await list(agent)).body.data[0]?.state === 'rejected')
		await putProviderKey(host, at, account.token)
		expect((await run(host, agent)).status).toBe(200)
		const [credential] = (await list(agent)).body.data
		expect(credential).toMatchObject({ state: 'ready', version: 3, last_error: null })
	})

	// Proves: credential.address-change-missing, deployment.rollback
	test('is missing again when a new version or a roll-back changes its address, and until it is there no run is taken', async () => {
		const agent = await deploy(host, account, bundle)
		const at = `/v1/deployments/${agent.id}`
		const elsewhere = upload(await bundleOf({ model: model(others) }))
		const updated = await host.call<CreatedDeployment>(`${at}/versions`, {
			token: account.token,
			body: elsewhere,
		})
		expect([updated.status, updated.body.version]).toEqual([201, 2])
		expect(updated.body.credentials).toMatchObject([{ state: 'missing', aud: new URL(others.url).origin }])
		const before = others.requests.length
		const refused = await run(host, agent)
		expect([refused.status, refused.body.code]).toEqual([409, 'credentials_missing'])
		expect(others.requests.length).toBe(before)
		await putProviderKey(host, updated.body, account.token)
		expect((await run(host, agent)).body).toMatchObject({ version: 2, output: 'Hello from elsewhere.' })
		const back = await host.call<CreatedDeployment>(`${at}/versions/1/activate`, {
			method: 'POST',
			token: account.token,
		})
		expect(back.body).toMatchObject({
			version: 1,
			credentials: [{ state: 'missing', aud: new URL(models.url).origin }],
		})
		expect((await run(host, agent)).status).toBe(409)
	})

	// Proves: credential.checked-each-use
	test('in an edited row is never sent to the row’s new address', async () => {
		const agent = await deploy(host, account, bundle)
		await withSql(host, async (sql) => {
			const [row] = await sql`select agent from versions where deployment_id = ${agent.id}`
			row!.agent.model.base_url = others.openaiUrl
			await sql`update versions set agent = ${row!.agent} where deployment_id = ${agent.id}`
			await sql`update credentials set aud = ${new URL(others.url).origin} where deployment_id = ${agent.id}`
			await sql`update deployments set rev = rev + 1 where id = ${agent.id}`
			await sql`select pg_notify('deployments', ${agent.id})`
		})
		const before = others.requests.length
		await run(host, agent)
		expect(others.requests.length).toBe(before)
	})

	test('of several PUTs at once is the last of them, and each is counted', async () => {
		const at = await made()
		const answers = await Promise.all(
			Array.from({ length: 5 }, (_, i) => putProviderKey(host, at, account.token, `k${i}`)),
		)
		expect(answers.map(({ body }) => body.version).every((version) => Number(version) >= 1)).toBe(true)
		expect((await list(at)).body.data).toMatchObject([{ state: 'ready', version: 5 }])
	})
})

describe('a start', () => {
	// Proves: deployment.start-needs-provider-key
	test('before the provider’s key is there is refused', async () => {
		const at = await made()
		const answer = await host.call(`/v1/deployments/${at.id}/start`, { method: 'POST', token: account.token })
		expect([answer.status, answer.body.code]).toEqual([409, 'credentials_missing'])
		expect((await host.call(`/v1/deployments/${at.id}`, { token: account.token })).body.state).toBe(
			'creating',
		)
	})
})

describe('a new version', () => {
	// Proves: deployment.version-in-flight
	test('leaves runs in flight on theirs', async () => {
		models.scripts.slow = { text: 'old', delayMs: 500 }
		const slow = await bundleOf({
			model: `{ provider: openai, name: slow, base_url: "${models.openaiUrl}" }`,
		})
		const agent = await deploy(host, account, slow)
		const running = run(host, agent)
		await until(
			async () =>
				(await host.call<{ data: unknown[] }>('/v1/runs', { token: account.token })).body.data.length > 0,
		)
		await host.call(`/v1/deployments/${agent.id}/versions`, { token: account.token, body: upload(bundle) })
		expect((await run(host, agent)).body).toMatchObject({ version: 2, output: 'Hello.' })
		expect((await running).body).toMatchObject({ version: 1, output: 'old' })
		const versions = await host.call(`/v1/deployments/${agent.id}/versions`, { token: account.token })
		expect(versions.body.data).toMatchObject([
			{ version: 2, active: true },
			{ version: 1, active: false },
		])
		const missing = await host.call(`/v1/deployments/${agent.id}/versions/9/activate`, {
			method: 'POST',
			token: account.token,
		})
		expect(missing.status).toBe(404)
	})
})
