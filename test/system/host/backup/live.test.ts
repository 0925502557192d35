import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApprovalList } from '../../../../host/api/approvals.ts'
import type { EndpointWithSecret } from '../../../../host/api/endpoints.ts'
import type { MemoryFile } from '../../../../host/api/memory.ts'
import type { Run } from '../../../../host/api/runs.ts'
import { bundleOf, deploy, type Running, run, until, withSql } from '../../../kit/agent.ts'
import { done, emptyDatabase, passphrase, passphraseFile } from '../../../kit/backup.ts'
import { temporary } from '../../../kit/berth.ts'
import { dropDatabase, startHost, type TestHost, withHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { runtimeOf } from '../../../kit/pair.ts'
import { type Receiver, startReceiver, status } from '../../../kit/receiver.ts'

// A host in use is backed up, lost and restored: embedded → DATABASE_URL → embedded.

let models: ModelServer
let receiver: Receiver
let lost = false

beforeAll(async () => {
	models = await startModelServer(
		{ m: { text: 'Done.' }, sleepy: () => ({ text: 'Good morning.', delayMs: lost ? 0 : 60_000 }) },
		{ key: 'sk-test' },
	)
	receiver = await startReceiver()
})
afterAll(async () => {
	await models?.close()
	await receiver?.close()
})

const settings = {
	egressAllow: ['127.0.0.1'],
	env: { WEBHOOK_RETRY_SECONDS: '1,1,1,1,1', HOST_LEASE_SECONDS: '60' },
}
const model = (name: string) => `{ provider: openai, name: ${name}, base_url: "${models.openaiUrl}" }`
const pathOf = (agent: Running) => new URL(agent.url).pathname
const read = async (host: TestHost, agent: Running, id: string) =>
	(await host.call<Run>(`${pathOf(agent)}/runs/${id}`, { token: agent.run_key })).body
const reaches = (host: TestHost, agent: Running, id: string, wanted: Run['status']) =>
	until(async () => {
		const found = await read(host, agent, id)
		if (found.status !== wanted && found.completed_at !== null) throw new Error(JSON.stringify(found))
		return found.status === wanted && found
	})
const begin = async (host: TestHost, agent: Running) =>
	(await run(host, agent, {}, { prefer: 'respond-async' })).body.id
const answers = async (host: TestHost, agent: Running) =>
	(await host.call<Run>(`${pathOf(agent)}/run`, { token: agent.run_key, json: { inputs: {} } })).body
const stored = (host: TestHost, id: string) =>
	withSql(host, async (sql) => (await sql`select status from runs where id = ${id}`)[0]?.status)

async function approve(host: TestHost, agent: Running, id: string, token: string): Promise<void> {
	const at = `${pathOf(agent)}/runs/${id}/approvals`
	const [asked] = (await host.call<ApprovalList>(at, { token: agent.run_key })).body.data
	const json = { decision: 'approve', digest: asked?.digest }
	expect((await host.call(`${at}/${asked?.id}`, { token, json })).status).toBe(200)
}

// Proves: backup.online, backup.goes-on, backup.both-ways, backup.master-key-encrypted
test('runs that were live at the time of a backup go on after its restore, from embedded to external and back', async () => {
	const folder = temporary()
	const [dirA, dirB, dirC] = ['a', 'b', 'c'].map((name) => join(folder, name)) as [string, string, string]
	const key = ['--passphrase-file', passphraseFile(folder)]
	const external = await emptyDatabase()
	const first = await startHost({ ...settings, database: 'embedded', dataDir: dirA })
	try {
		const account = await first.account({ plan: 'team' })
		const made = async (name: string, files?: Record<string, string>) =>
			deploy(first, account, await bundleOf({ model: model(name), ...(files && { files }) }))
		const [quick, sleepy, asker] = await Promise.all([
			made('m'),
			made('sleepy'),
			made('m', {
				'agent.ts': `import { agent } from 'berth'
export default agent(async (inputs: any, ctx) => String((await ctx.approve('Go on?')).approved))\n`,
			}),
		])
		const endpoint = await first.call<EndpointWithSecret>(`/v1/deployments/${quick.id}/endpoints`, {
			token: account.token,
			json: { url: receiver.url },
		})
		await first.call(`${pathOf(quick)}/memory/notes.md`, {
			method: 'PUT',
			token: account.token,
			json: { content: 'A tab\t, a line\nand a \\ backslash.' },
		})
		receiver.answers.push(...Array.from({ length: 50 }, () => status(503)))
		expect(await answers(first, quick)).toMatchObject({ status: 'succeeded' })
		const [refused] = await until(async () => receiver.received.length > 0 && receiver.received)

		const waiting = [await begin(first, asker), await begin(first, asker)]
		for (const id of waiting) await reaches(first, asker, id, 'waiting')
		const running = await begin(first, sleepy)
		await reaches(first, sleepy, running, 'running')
		const runtime = runtimeOf(first)
		process.kill(runtime, 'SIGSTOP')
		const queued = await begin(first, quick)
		expect(await stored(first, queued)).toBe('queued')

		const one = join(folder, 'one')
		expect(await done(['backup', one, ...key], { DATA_DIR: dirA })).toMatchObject({
			tables: (await tablesOf(first)).length - 1,
			master_key: 'encrypted',
		})
		expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([])
		const secret = readFileSync(join(dirA, 'master.key'), 'utf8').trim()
		expect(texts(one).filter((text) => text.includes(secret) || text.includes(passphrase))).toEqual([])
		process.kill(runtime, 'SIGKILL')
		await first.kill('SIGKILL')
		lost = true
		receiver.answers.length = 0
		const refusals = receiver.received.length

		await done(['restore', one, ...key], { DATA_DIR: dirB, DATABASE_URL: external })
		expect(readFileSync(join(dirB, 'master.key'), 'utf8').trim()).toBe(secret)
		expect(existsSync(join(dirB, 'postgres'))).toBe(false)
		const two = join(folder, 'two')
		await withHost({ ...settings, database: external, dataDir: dirB }, async (second) => {
			expect(await reaches(second, sleepy, running, 'succeeded')).toMatchObject({ output: 'Good morning.' })
			expect(await reaches(second, quick, queued, 'succeeded')).toMatchObject({ output: 'Done.' })
			await approve(second, asker, waiting[0] as string, account.token)
			await reaches(second, asker, waiting[0] as string, 'succeeded')
			const again = await until(async () =>
				receiver.received
					.slice(refusals)
					.find(({ headers }) => headers['webhook-id'] === refused?.headers['webhook-id']),
			)
			expect(new Webhook(endpoint.body.secret).verify(again.body, again.headers)).toMatchObject({
				type: 'run.completed',
			})
			await done(['backup', two, ...key], { DATA_DIR: dirB, DATABASE_URL: external })
		})

		await done(['restore', two, ...key], { DATA_DIR: dirC })
		await withHost({ ...settings, database: 'embedded', dataDir: dirC }, async (third) => {
			await approve(third, asker, waiting[1] as string, account.token)
			expect(await reaches(third, asker, waiting[1] as string, 'succeeded')).toMatchObject({ output: 'true' })
			expect(await answers(third, quick)).toMatchObject({ status: 'succeeded', output: 'Done.' })
			expect(await read(third, sleepy, running)).toMatchObject({ status: 'succeeded' })
			const notes = await third.call<MemoryFile>(`${pathOf(quick)}/memory/notes.md`, { token: account.token })
			expect(notes.body).toMatchObject({ content: 'A tab\t, a line\nand a \\ backslash.' })
		})
	} finally {
		await first.close()
		await dropDatabase(external)
	}
}, 240_000)

const tablesOf = (host: TestHost) =>
	withSql(
		host,
		(sql) =>
			sql`select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
	)

const texts = (folder: string): string[] =>
	readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
