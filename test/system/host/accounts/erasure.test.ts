// Everything of an account is erased on request: what is left are counts, credits and who did what.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AuditEntry } from '../../../../host/api/audit.ts'
import { ErasedAccount } from '../../../../host/api/erasure.ts'
import { bundleOf, deploy, type Running, run, until, withSql } from '../../../kit/agent.ts'
import { berth } from '../../../kit/berth.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { type Receiver, startReceiver } from '../../../kit/receiver.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

const secret = 'a text that nobody else has'

let host: TestHost
let models: ModelServer
let receiver: Receiver
let bundle: Uint8Array

beforeAll(async () => {
	models = await startModelServer({ m: { text: 'Hello.' } })
	receiver = await startReceiver()
	host = await sharedHost()
	bundle = await bundleOf({ model: `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }` })
})
afterAll(async () => {
	await host?.close()
	await Promise.all([models?.close(), receiver?.close()])
})

const call = (account: TestAccount, path: string, method: string, json?: object) =>
	host.call<Record<string, unknown>>(path, { method, token: account.token, ...(json && { json }) })

/** An account with something in nearly every table. */
async function used(): Promise<{ account: TestAccount; agent: Running; runId: string }> {
	const account = await host.account({ plan: 'team', password: `${secret}!` })
	const agent = await deploy(host, account, bundle, secret)
	const at = `/v1/deployments/${agent.id}`
	for (const [path, method, json] of [
		[`${at}/endpoints`, 'POST', { url: `${receiver.url}/?${encodeURIComponent(secret)}` }],
		[`${at}/schedules`, 'POST', { cron: '0 9 * * *' }],
		[`${at}/keys`, 'POST', { name: secret, scopes: ['run'] }],
		[at, 'PATCH', { budgets: { tokens_per_month: 1_000_000 } }],
		['/v1/tokens', 'POST', { name: secret }],
		[`${agent.url}/memory/notes.md`, 'PUT', { content: secret }],
	] as const)
		expect([path, (await call(account, path, method, json)).status]).toEqual([
			path,
			expect.toSatisfy((n) => n < 300),
		])
	expect((await run(host, agent, 'no object')).status).toBeGreaterThan(399)
	const { id } = (await run(host, agent, {}, { 'idempotency-key': secret })).body
	await until(async () => receiver.received.find(({ body }) => body.includes(id)))
	return { account, agent, runId: id }
}

/** Tables with a row that has one of these words in it. */
const tablesWith = (...words: string[]) =>
	withSql(host, async (sql) => {
		const tables = await sql<{ name: string }[]>`
			select relname as name from pg_class
			where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`
		const found: string[] = []
		for (const { name } of tables) {
			const [row] = await sql`
				select 1 from ${sql(name)} t where t::text like any(${words.map((word) => `%${word}%`)}) limit 1`
			if (row) found.push(name)
		}
		return found
	})

// Proves: retention.erase-account, retention.erase-refused
test('an account erases itself: no row has a word of it but ledger and audit log, and others keep theirs', async () => {
	const { account, agent, runId } = await used()
	const other = await used()
	const erase = (confirm: string) => call(account, '/v1/account/erase', 'POST', { confirm })
	expect((await erase('somebody@example.com')).body).toMatchObject({ errors: [{ path: '/confirm' }] })
	expect((await erase(account.email)).body).toMatchObject({
		code: 'conflict',
		detail: expect.stringContaining(secret),
	})
	expect((await tablesWith(agent.id, runId)).length).toBeGreaterThan(10)
	expect((await call(account, `/v1/deployments/${agent.id}`, 'DELETE')).status).toBe(204)
	const erased = await erase(account.email.toUpperCase())
	expect([erased.status, erased.text]).toEqual([200, expect.any(String)])
	const receipt = ErasedAccount.parse(erased.body)
	expect(receipt).toMatchObject({
		account: account.id,
		deployments: 1,
		runs: 1,
		endpoints: 1,
		versions: 1,
		bundles: 0,
	})
	expect(receipt.deliveries).toBeGreaterThan(0)
	expect(await tablesWith(account.email, runId)).toEqual([])
	// Which deployment it was stands in the log of what was done; of the account itself there are its id and its credits.
	expect(await tablesWith(agent.id)).toEqual(['audit'])
	await until(async () => (await tablesWith(account.id)).includes('audit'))
	expect(await tablesWith(account.id)).toEqual(['accounts', 'audit', 'ledger'])
	expect((await call(account, '/v1/account', 'GET')).status).toBe(401)
	expect((await host.call(agent.url, { token: agent.run_key })).status).toBe(401)
	const entry = await until(async () =>
		(
			await host.call<{ data: AuditEntry[] }>(`/v1/admin/audit?account=${account.id}`, {
				token: host.operator,
			})
		).body.data.find(({ request_id }) => request_id === receipt.request_id),
	)
	expect(entry).toMatchObject({ operation: 'eraseOwnAccount', target: { runs: '1' } })
	// Another account, with the same bundle and the same texts.
	expect((await call(other.account, `${other.agent.url}/runs/${other.runId}`, 'GET')).status).toBe(200)
	expect((await call(other.account, `${other.agent.url}/memory/notes.md`, 'GET')).body).toMatchObject({
		content: secret,
	})
	expect((await run(host, other.agent)).body.status).toBe('succeeded')

	// By an operator, on the host's machine, which deletes its deployments; nobody else uses the bundle any more.
	const admin = (...args: string[]) =>
		berth(['admin', 'accounts', 'erase', other.account.id, ...args, '--json'], {
			env: { BERTH_URL: host.url, DATA_DIR: host.dataDir },
		})
	expect(await admin()).toMatchObject({ code: 2 })
	const done = await admin('--yes')
	expect([done.code, done.stderr]).toEqual([0, expect.any(String)])
	expect(JSON.parse(done.stdout)).toMatchObject({ account: other.account.id, bundles: 1 })
	expect(await tablesWith(secret, other.account.email)).toEqual([])
	const operator = await host.account({ operator: true })
	expect((await call(operator, '/v1/account/erase', 'POST', { confirm: operator.email })).body).toMatchObject(
		{ code: 'conflict' },
	)
})
