import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { BuiltBundle } from '../../bundles/index.ts'
import { type Database, openDatabase } from '../../host/db/index.ts'
import { newId } from '../../host/lib/ids.ts'
import { seal } from '../../host/owner/client/index.ts'
import type { LiveRun, RunEnd, RunRecord } from '../../host/runs/live/types.ts'
import { journalWriter, runEnder, runInserter } from '../../host/runs/live/write.ts'
import { openRuntime, type Runtime } from '../../runtime/supervisor/start.ts'
import type { HostCalls } from '../../runtime/wire/host-calls.ts'

/**
 * The shipped runtime, and a host that is no more than what writes a run down: with the product's own statements on its
 * own database, or not at all. What differs between the two is the journal and nothing else.
 */
export interface Runner {
	/** One run, from its acceptance to its end; `journal`: written down. */
	run(n: number, journal: boolean): Promise<void>
	close(): Promise<void>
}

const deployment = newId('dep')

export async function startRunner(
	bundle: BuiltBundle,
	{ modelUrl, allow }: { modelUrl: string; allow: string },
): Promise<Runner> {
	const dataDir = mkdtempSync(join(tmpdir(), 'berth-bench-'))
	const log = pino({ level: 'silent' })
	const database = await openDatabase({ DATABASE_URL: '', DATA_DIR: dataDir }, log, (error) => {
		throw error
	})
	const live = new Map<string, LiveRun & { journal: boolean; ending: PromiseWithResolvers<void> }>()
	const writers = {} as { commit: ReturnType<typeof journalWriter>; end: ReturnType<typeof runEnder> }
	const calls: Partial<HostHandlersCalls> = {
		'bundle.get': async () => bundle.bytes,
		'run.commit': async ({ run, entries }) => {
			const of = live.get(run)
			if (of?.journal) await writers.commit({ run: of, entries })
			return {}
		},
		'run.end': async (end) => {
			const of = live.get(end.run)
			if (of?.journal)
				await writers.end({ end, record: recordOf(of, end), place: 'local', url: 'http://bench' })
			live.delete(end.run)
			if (end.outcome.status === 'succeeded') of?.ending.resolve()
			else of?.ending.reject(new Error(`a run failed: ${end.outcome.error.message}`))
			return {}
		},
		'tools.lock': async ({ tools }) => ({
			locks: Object.fromEntries(tools.map(({ name, hash }) => [name, hash])),
		}),
	}
	const runtime = openRuntime()
	await runtime.start(
		{
			masterKeyFile: join(dataDir, 'master.key'),
			mayGenerate: true,
			egressAllow: allow.split(','),
			providerTimeoutMs: 30_000,
			dataDir,
			warmSpares: 0,
			idleStopMs: 600_000,
		},
		{
			calls: calls as HostHandlersCalls,
			notes: {
				'credential.state': () => undefined,
				'run.left': () => undefined,
				'sealing_key.unreadable': () => undefined,
				log: () => undefined,
			},
		},
	)
	await deploy(database, runtime, new URL(modelUrl).origin)
	const insert = runInserter({ sql: database.sql, id: 'hst_bench', runtime })
	Object.assign(writers, { commit: journalWriter(database.sql), end: runEnder(database.sql) })
	return {
		async run(n, journal) {
			const run = newRun(n, bundle.digest)
			const ending = Promise.withResolvers<void>()
			live.set(run.id, { ...run, journal, ending })
			runtime.notify('run.begin', beginOf(run))
			if (journal && !(await insert({ run, rev: 1, idempotency: null })))
				throw new Error('no run was inserted')
			runtime.notify('run.go', { run: run.id })
			await ending.promise
		},
		async close() {
			await runtime.close(0)
			await database.close()
			rmSync(dataDir, { recursive: true, force: true })
		},
	}
}

type HostHandlersCalls = {
	[M in keyof HostCalls]: (args: Parameters<HostCalls[M]>[0]) => Promise<ReturnType<HostCalls[M]>>
}

/** The row that the insert of a run locks, and the provider's key. */
async function deploy({ sql }: Database, runtime: Runtime, aud: string): Promise<void> {
	const key = await runtime.call('sealing_key.create', { deployment })
	const account = newId('acc')
	await sql`insert into plans (name, paid) values ('bench', false)`
	await sql`insert into accounts (id, email, plan, balance) values (${account}, 'bench@example.com', 'bench', 0)`
	await sql`
		insert into deployments (id, account_id, name, slug, place, state)
		values (${deployment}, ${account}, 'bench', 'bench', 'here', 'running')`
	const jwe = await seal(
		{ ...key.jwk, kid: key.kid },
		{ deployment, name: 'provider', aud },
		{ api_key: 'sk-bench' },
	)
	runtime.notify('deployment.put', {
		id: deployment,
		rev: 1,
		sealing: { kid: key.kid, wrapped: key.wrapped },
		credentials: [{ name: 'provider', version: 1, jwe }],
	})
}

function newRun(n: number, digest: string): LiveRun {
	return {
		id: newId('run'),
		deployment: { id: deployment },
		version: 1,
		digest,
		lineage: null,
		epoch: 1,
		attempt: 1,
		inputs: JSON.stringify({ question: `Question ${n}` }),
		seed: '0'.repeat(32),
		createdAt: Date.now(),
		startedAt: Date.now(),
	} as LiveRun
}

const beginOf = (run: LiveRun) => ({
	run: run.id,
	deployment,
	account: 'acc_bench',
	digest: run.digest,
	version: 1,
	epoch: 1,
	attempt: 1,
	inputs: run.inputs,
	seed: run.seed,
	created_at: run.createdAt,
	stream: false,
	journal: [],
	go: false,
})

function recordOf(run: LiveRun, { outcome, usage, entries }: RunEnd): RunRecord {
	return {
		id: run.id,
		deployment,
		version: 1,
		lineage: null,
		status: outcome.status,
		inputs: run.inputs,
		output: outcome.status === 'succeeded' ? outcome.output : null,
		citations: null,
		error: null,
		usage: JSON.stringify(usage),
		created_at: run.createdAt,
		started_at: run.startedAt,
		completed_at: entries.at(-1)?.at ?? Date.now(),
		kept_days: null,
	}
}
