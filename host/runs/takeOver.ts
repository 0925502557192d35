import { endClaimed } from './cancel.ts'
import { type Claimed, claimRuns } from './claim.ts'
import type { RunEngine } from './engine.ts'
import { readJournal } from './read.ts'
import type { LiveRun } from './types.ts'

const claimedAtOnce = 100
/** A run during which the runtime died so often is taken to be the cause of it. */
const attemptsMax = 10

/** Takes the runs of dead hosts, and says what becomes of each. Answers how many there were. */
export async function takeOver(engine: RunEngine, become = failOrphan): Promise<number> {
	let count = 0
	for (;;) {
		const claimed = await claimRuns(engine, { orphansAtMost: claimedAtOnce })
		count += claimed.length
		await Promise.all(claimed.map((run) => become(engine, run)))
		if (claimed.length < claimedAtOnce) return count
	}
}

export async function failOrphan(engine: RunEngine, { run, journal }: Claimed): Promise<void> {
	await endClaimed(engine, run, journal, {
		status: 'failed',
		error: { code: 'agent_error', message: 'The host that executed this run died before the run had ended.' },
	})
}

/** Goes on from the last committed effect. */
export async function resumeOrphan(engine: RunEngine, claimed: Claimed): Promise<void> {
	const { run, journal } = claimed
	if (run.attempt > attemptsMax) return failOrphan(engine, claimed)
	engine.resume(run, journal)
}

/** The runtime died and is back: every run of this host begins again, with what of it is committed. */
export async function resumeAll(engine: RunEngine): Promise<void> {
	await Promise.all([...engine.live.values()].map((run) => resumeHere(engine, run)))
}

async function resumeHere(engine: RunEngine, run: LiveRun): Promise<void> {
	await run.writing
	if (engine.live.get(run.id) !== run) return
	run.deployment = (await engine.host.deployments.refresh(run.deployment.slug)) ?? run.deployment
	if (!run.stored) return engine.resume(run, [])
	const [row] = await engine.host.sql<{ attempt: number }[]>`
		update runs set attempt = attempt + 1 where id = ${run.id} and epoch = ${run.epoch} returning attempt`
	run.attempt = row?.attempt ?? run.attempt
	const journal = await readJournal(engine.host.sql, run.id, 0)
	if (engine.live.get(run.id) !== run) return
	if (run.attempt <= attemptsMax) return engine.resume(run, journal)
	await endClaimed(engine, run, journal, {
		status: 'failed',
		error: {
			code: 'agent_error',
			message: `The runtime died ${run.attempt - 1} times while it executed this run.`,
		},
	})
}
