import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { StoppedDeployment } from '../api/deployments.ts'
import { isPlaceAlive } from '../places/index.ts'
import { isStoppedElsewhere, requireStopper } from './here.ts'
import type { StopParts } from './parts.ts'
import { changedMeanwhile, ruleOf, slotStates } from './states.ts'
import { announce, type DeploymentRow, ownDeployment } from './store.ts'
import { viewDeployment } from './view.ts'

/** How often a stop looks whether the last run has ended. */
const lookMs = 100
/** A stop of another host's is waited for this much longer than its drain. */
const joinGraceMs = 30_000
/** A stop that outlived its drain by this much has lost its host. */
const abandonedAfterSeconds = 20

interface Stopped {
	row: DeploymentRow
	inFlight: StoppedDeployment['in_flight']
	cancelled: string[]
}

/** POST …/stop: runs in flight get `drainSeconds`, then they are cancelled. Safe to repeat. */
export async function stopDeployment(
	parts: StopParts,
	accountId: string,
	id: string,
	drainSeconds: number,
): Promise<StoppedDeployment> {
	const row = await ownDeployment(parts.sql, accountId, id)
	requireStopper(parts.places, row, '/stop')
	const stopped = await bringToStop(parts, row, drainSeconds, null)
	return {
		...viewDeployment(parts.places, stopped.row),
		in_flight: stopped.inFlight,
		cancelled: stopped.cancelled,
	}
}

/** POST …/cancel: a deployment that never ran. */
export async function cancelDeployment(parts: StopParts, accountId: string, id: string) {
	const row = await ownDeployment(parts.sql, accountId, id)
	if (ruleOf(row.state, 'cancel') === 'done') return viewDeployment(parts.places, row)
	return viewDeployment(parts.places, (await bringToStop(parts, row, 0, null)).row)
}

/** Whatever state it is in, it is stopped when this resolves. */
export async function bringToStop(
	parts: StopParts,
	row: DeploymentRow,
	drainSeconds: number,
	reason: string | null,
): Promise<Stopped> {
	const rule = ruleOf(row.state, 'stop')
	if (rule === 'done') return { row, inFlight: [], cancelled: [] }
	if (rule === 'join') return join(parts, row, drainSeconds)
	const changed = await beginStop(parts, row, drainSeconds, reason)
	const now = await ownDeployment(parts.sql, row.account_id, row.id)
	if (!changed) {
		if (now.state === row.state) throw changedMeanwhile()
		return bringToStop(parts, now, drainSeconds, reason)
	}
	if (row.state !== 'running') return { row: now, inFlight: [], cancelled: [] }
	return finishStop(parts, now)
}

/** False: another call has changed the state since `row` was read. What never ran is stopped with this. */
async function beginStop(
	parts: StopParts,
	row: DeploymentRow,
	drainSeconds: number,
	reason: string | null,
): Promise<boolean> {
	const to = row.state === 'running' ? 'stopping' : 'stopped'
	const changed = await parts.sql.begin(async (tx) => {
		const done = await tx`
			update deployments
			set state = ${to}, state_since = now(), rev = rev + 1,
				state_reason = coalesce(${reason}, case when state <> 'running' then state_reason end),
				drain_until = now() + make_interval(secs => ${drainSeconds})
			where id = ${row.id} and state = ${row.state} returning id`
		if (done.length > 0) await announce(tx, row.id)
		return done.length > 0
	})
	await parts.deployments.changed(row.id)
	return changed
}

/** Drains, then `stopping` → `stopped`. Whoever finds a stop whose host died calls this again. */
async function finishStop(
	parts: StopParts,
	{ id, account_id }: Pick<DeploymentRow, 'id' | 'account_id'>,
): Promise<Stopped> {
	const { inFlight, cancelled } = await parts.runs.drain(id)
	await parts.sql.begin(async (tx) => {
		await tx`
			update deployments set state = 'stopped', state_since = now(), rev = rev + 1, drain_until = null
			where id = ${id} and state = 'stopping'`
		await announce(tx, id)
	})
	await parts.deployments.changed(id)
	return { row: await ownDeployment(parts.sql, account_id, id, { evenDeleted: true }), inFlight, cancelled }
}

/** Somebody is draining it: a shorter patience than theirs counts for both. */
async function join(parts: StopParts, row: DeploymentRow, drainSeconds: number): Promise<Stopped> {
	const inFlight = await parts.runs.liveOf(row.id)
	await parts.sql`
		update deployments set drain_until = least(drain_until, now() + make_interval(secs => ${drainSeconds}))
		where id = ${row.id} and state = 'stopping'`
	const deadline = performance.now() + drainSeconds * 1000 + joinGraceMs
	for (;;) {
		const now = await ownDeployment(parts.sql, row.account_id, row.id, { evenDeleted: true })
		if (now.state !== 'stopping') return { row: now, inFlight, cancelled: [] }
		if (performance.now() > deadline) return finishStop(parts, row)
		await sleep(lookMs)
	}
}

/** An account was disabled: all it runs ends now. Hosts of another place find its deployments there at their next look. */
export async function stopAccount(parts: StopParts, accountId: string): Promise<void> {
	const rows = await parts.sql<{ id: string }[]>`
		select id from deployments where account_id = ${accountId} and state = any(${[...slotStates]})`
	await Promise.all(
		rows.map(async ({ id }) => {
			const row = await ownDeployment(parts.sql, accountId, id, { evenDeleted: true })
			const reason = 'The account was disabled.'
			if (isStoppedElsewhere(parts.places, row)) {
				if (row.state === 'running') await beginStop(parts, row, -abandonedAfterSeconds, reason)
			} else if (row.state !== 'deleted') await bringToStop(parts, row, 0, reason)
		}),
	)
}

async function finishAbandoned(parts: StopParts): Promise<void> {
	const rows = await parts.sql<{ id: string; account_id: string }[]>`
		select d.id, d.account_id from deployments d
		where d.state = 'stopping' and d.drain_until <= now() - make_interval(secs => ${abandonedAfterSeconds})
			and (d.place = ${parts.places.own.id} or not ${isPlaceAlive(parts.sql, 'd.place')})`
	for (const row of rows) await finishStop(parts, row)
}

/** Finishes the stops that hosts left behind, from now on. `stop` waits for those that are being finished. */
export function watchStops(
	parts: StopParts & { log: FastifyBaseLogger },
	everyMs: number,
): { stop(): Promise<void> } {
	let sweeping: Promise<void> | null = null
	const timer = setInterval(() => {
		sweeping ??= finishAbandoned(parts)
			.catch((error) => parts.log.error({ err: error }, 'an abandoned stop was not finished'))
			.finally(() => {
				sweeping = null
			})
	}, everyMs)
	return {
		async stop() {
			clearInterval(timer)
			await sweeping
		},
	}
}
