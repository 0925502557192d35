import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { ApprovalList } from '../../../../host/api/approvals.ts'
import type { ReplayReport } from '../../../../host/api/replay.ts'
import type { Run } from '../../../../host/api/runs.ts'
import { bundleOf, deploy, type Running, run, until } from '../../../kit/agent.ts'
import { cloneTemplate, dropDatabase, startHost, type TestAccount, type TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'

// One build still carries the previous guest program: an update of Berth changes no run in flight.

const dist = fileURLToPath(new URL('../../../../dist', import.meta.url))
const shipped = readFileSync(join(dist, 'prelude.js'), 'utf8')
/** Asks for something else than the shipped one wherever a program says Think. */
const changed = `{ const { stringify } = JSON; JSON.stringify = (...a) => stringify(...a)?.replace('Think', 'Now think') }\n${shipped}`

let database: string
let models: ModelServer
let old: TestHost
let account: TestAccount
let agent: Running

beforeAll(async () => {
	models = await startModelServer({ m: { text: 'Well.' } })
	database = await cloneTemplate()
	old = await startHost({ database, egressAllow: ['127.0.0.1'], env: { HOST_LEASE_SECONDS: '1' } })
	account = await old.account({ plan: 'team' })
	const program = `import { agent } from 'berth'
export default agent(async (inputs, ctx) => {
	const { text } = await ctx.model('Think')
	await ctx.approve('Go on?')
	return text
})
`
	const model = `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }`
	agent = await deploy(old, account, await bundleOf({ model, files: { 'agent.ts': program } }))
})
afterAll(async () => {
	await old?.close()
	if (database) await dropDatabase(database)
	await models?.close()
})

/** A host of a build with the changed guest program, and that one as the release before. */
async function updated(name: string, previous: string): Promise<TestHost> {
	// Beside it, so that it finds what it finds there.
	const dir = `${dist}.${process.pid}-${name}`
	onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
	cpSync(dist, dir, { recursive: true })
	mkdirSync(join(dir, 'previous'), { recursive: true })
	writeFileSync(join(dir, 'prelude.js'), changed)
	writeFileSync(join(dir, 'previous/prelude.js'), previous)
	const host = await startHost({
		database,
		egressAllow: ['127.0.0.1'],
		env: { HOST_LEASE_SECONDS: '1', MASTER_KEY_FILE: join(old.dataDir, 'master.key') },
		program: join(dir, 'host.mjs'),
	})
	onTestFinished(() => host.close())
	return host
}

const url = (host: TestHost) => agent.url.replace(old.url, host.url)
const read = async (host: TestHost, id: string) =>
	(await host.call<Run>(`${url(host)}/runs/${id}`, { token: agent.run_key })).body

/** Begun and parked by `host`. */
async function parked(host: TestHost): Promise<string> {
	const { body } = await run(host, { ...agent, url: url(host) }, {}, { prefer: 'respond-async' })
	await until(async () => (await read(host, body.id)).status === 'waiting')
	return body.id
}

/** Agreed to at `host`, and its end. */
async function approved(host: TestHost, id: string): Promise<Run> {
	const path = `${url(host)}/runs/${id}/approvals`
	const [asked] = (await host.call<ApprovalList>(path, { token: agent.run_key })).body.data
	const json = { decision: 'approve', digest: asked?.digest }
	expect((await host.call(`${path}/${asked?.id}`, { token: account.token, json })).status).toBe(200)
	return until(async () => {
		const found = await read(host, id)
		return found.completed_at !== null && found
	})
}

// Proves: journal.previous-guest
test('a run begun under the previous guest program goes on, and is replayed, under it', async () => {
	const ids = [await parked(old), await parked(old)]
	await old.kill('SIGTERM')
	const next = await updated('next', shipped)
	expect(await approved(next, ids[0] as string)).toMatchObject({ status: 'succeeded', output: 'Well.' })
	const replay = await next.call<ReplayReport>(`/v1/runs/${ids[0]}/replay`, {
		method: 'POST',
		token: account.token,
	})
	expect(replay.body).toMatchObject({ same: true })
	expect(JSON.stringify(models.requests.map(({ body }) => body))).not.toContain('Now think')
	expect(await approved(next, await parked(next))).toMatchObject({ status: 'succeeded' })
	expect(JSON.stringify(models.requests.at(-1)?.body)).toContain('Now think')
	await next.kill('SIGTERM')

	const later = await updated('later', `${shipped}\n// of yet another release`)
	expect(await approved(later, ids[1] as string)).toMatchObject({
		status: 'failed',
		error: { code: 'replay_diverged' },
	})
}, 60_000)
