import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../../../host/db/index.ts'
import {
	type KnownDeployment,
	type KnownDeployments,
	knowDeployments,
} from '../../../../host/deployments/index.ts'
import { bundleOf, deploy, type Running } from '../../../kit/agent.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

// An idle deployment costs no process and next to no memory. What one host keeps in memory, on a real database;
// the runtime is a list of what it was told.

const log = pino({ level: 'silent' })
let host: TestHost
let models: ModelServer
let account: TestAccount
let agents: Running[]
let database: Database
let deployments: KnownDeployments
let told: string[]
let live: Map<string, { deployment: KnownDeployment }>

beforeAll(async () => {
	models = await startModelServer({ m: { text: 'done' } })
	const bundle = await bundleOf({
		model: `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }`,
		yaml: 'inputs: { type: object, properties: { name: { type: string } }, required: [name] }\n',
	})
	host = await sharedHost()
	account = await host.account({ plan: 'team' })
	agents = await Promise.all([deploy(host, account, bundle), deploy(host, account, bundle)])
	database = await openDatabase({ DATA_DIR: '', DATABASE_URL: host.databaseUrl ?? '' }, log, () => {})
})
afterAll(async () => {
	await database?.close()
	await host?.close()
	await models?.close()
})
beforeEach(() => {
	told = []
	live = new Map()
})
afterEach(() => deployments.stop())

async function keep(limits: Parameters<typeof knowDeployments>[1]): Promise<void> {
	const { sql, listen } = database
	const notify = (what: string, args: object) => {
		const { id, deployment } = args as { id?: string; deployment?: string }
		told.push(`${what} ${id ?? deployment}`)
	}
	deployments = knowDeployments(
		{
			sql,
			listen,
			log,
			config: { HOST_LEASE_SECONDS: 0.06, IDLE_STOP_SECONDS: 300, RETAIN_RUNS_DAYS: 30 },
			runtime: { notify, onRestart: () => {} },
			places: { urlOf: ({ slug }) => `${host.url}/d/${slug}` },
		},
		limits,
	)
	await deployments.start(live)
}

const idle = { idleMs: 150 }
const slugOf = ({ url }: Running) => url.split('/').at(-1) ?? ''
const [first, second] = [() => agents[0] as Running, () => agents[1] as Running]

/** As a run does. */
async function use(agent: Running): Promise<KnownDeployment> {
	const known = await deployments.find(slugOf(agent))
	if (!known) throw new Error(`${agent.id} is not found`)
	deployments.put(known)
	return known
}

/** Not a use. */
const forgotten = (agent: Running) => expect.poll(() => told.at(-1)).toBe(`deployment.drop ${agent.id}`)

// Proves: deployment.idle-forgotten
test('a deployment that nobody uses is forgotten, here and in the runtime, and read and told again when it is used', async () => {
	await keep(idle)
	await use(first())
	expect(deployments.find(slugOf(first()))).not.toBeInstanceOf(Promise)
	await forgotten(first())
	expect(told).toEqual([`deployment.put ${first().id}`, `deployment.drop ${first().id}`])
	const again = deployments.find(slugOf(first()))
	expect(again).toBeInstanceOf(Promise)
	expect((await again)?.id).toBe(first().id)
	await use(first())
	expect(told.slice(2)).toEqual([`deployment.put ${first().id}`])
})

test('a deployment that is used now and then is not forgotten', async () => {
	// Long enough for a busy machine to use it in time.
	await keep({ idleMs: 2_000 })
	await use(first())
	const busy = setInterval(() => deployments.find(slugOf(first())), 20)
	try {
		await use(second())
		await forgotten(second())
		expect(deployments.find(slugOf(first()))).not.toBeInstanceOf(Promise)
		expect(told).not.toContain(`deployment.drop ${first().id}`)
	} finally {
		clearInterval(busy)
	}
})

test('a deployment with a run under way is kept, and is idle from the end of the run on', async () => {
	await keep(idle)
	live.set('run_1', { deployment: await use(first()) })
	await use(second())
	await forgotten(second())
	expect(deployments.find(slugOf(first()))).not.toBeInstanceOf(Promise)
	live.clear()
	const ended = Date.now()
	await forgotten(first())
	expect(Date.now() - ended).toBeGreaterThan(100)
})

test('the runtime keeps what it works on without a run', async () => {
	await keep(idle)
	const release = deployments.hold(first().id)
	await use(first())
	await use(second())
	await forgotten(second())
	expect(told).not.toContain(`deployment.drop ${first().id}`)
	release()
	await forgotten(first())
})

test('a change to a forgotten deployment tells the runtime nothing, and is seen when it is used again', async () => {
	await keep(idle)
	const { rev } = await use(first())
	await forgotten(first())
	told = []
	const { sql } = database
	await sql`update deployments set rev = rev + 1 where id = ${first().id}`
	await deployments.changed(first().id)
	await sql`select pg_notify('deployments', ${first().id})`
	expect(told).toEqual([])
	expect((await use(first())).rev).toBe(rev + 1)
	expect(told).toEqual([`deployment.put ${first().id}`])
})

test.each([
	['number', { max: 1 }],
	['size', { maxBytes: 1 }],
])('more deployments than the %s allowed push out the one used longest ago', async (_, limits) => {
	await keep(limits)
	await use(first())
	await use(second())
	await forgotten(first())
	expect(deployments.find(slugOf(second()))).not.toBeInstanceOf(Promise)
	expect(deployments.find(slugOf(first()))).toBeInstanceOf(Promise)
})

test('inputs are checked as before once the schema is compiled for the first of them', async () => {
	await keep(idle)
	const { validate } = await use(first())
	expect(await validate({}, { queue: 'dep' })).toEqual([{ path: '/name', message: 'is required' }])
	expect(await validate({ name: 'Ada' }, { queue: 'dep' })).toEqual([])
})
