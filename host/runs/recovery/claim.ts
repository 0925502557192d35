import type { Entry } from '../../../runtime/wire/journal.ts'
import { isAlive, type Rows } from '../../db/index.ts'
import type { KnownDeployment } from '../../deployments/index.ts'
import { readJournal } from '../live/read.ts'
import type { LiveRun, RunEngine, RunRecord } from '../live/types.ts'

export interface Claimed {
	run: LiveRun
	/** What is committed of it. */
	journal: Entry[]
}

/** Runs named, or those of this host's place that nobody executes. */
type Which = { ids: string[] } | { orphansAtMost: number }

/** A run this host began and then forgot (its insert was answered by a broken connection) is an orphan after so long. */
const forgottenAfterSeconds = 15

/**
 * Makes live runs this host's own. Their epoch grows, so that whatever their last owner still writes is refused. Two hosts
 * that claim at once get different runs.
 */
export async function claimRuns(engine: RunEngine, which: Which): Promise<Claimed[]> {
	const { sql, id: me, config } = engine.parts
	const mine = [...engine.live.keys()]
	const chosen =
		'ids' in which
			? sql`id = any(${which.ids})`
			: sql`(status <> 'waiting' or host_id is not null and cancel_requested_at is null) and (
					not ${isAlive(sql, engine.parts.lease, 'host_id')}
					or host_id = ${me} and created_at < now() - make_interval(secs => ${forgottenAfterSeconds})
				) and (host_id is distinct from ${me} or id <> all(${mine}))
				and exists (select 1 from deployments p where p.id = deployment_id and p.place = ${config.PLACE})`
	const limit = 'ids' in which ? which.ids.length : which.orphansAtMost
	const rows = await sql<Row[]>`
		update runs r set epoch = r.epoch + 1, attempt = r.attempt + 1, host_id = ${me}
		from versions v, deployments d
		where r.id in (
				select id from runs where status in ('queued', 'running', 'waiting') and ${chosen}
				order by id limit ${limit} for update skip locked
			)
			and v.deployment_id = r.deployment_id and v.version = r.version and d.id = r.deployment_id
		returning r.id, d.slug, r.version, v.digest, r.lineage, r.epoch, r.attempt, r.inputs::text, r.seed, r.prelude,
			r.depth, r.allowance, r.traceparent, r.created_at`
	const read = await Promise.all(
		rows.map(async (row) => {
			const deployment = await engine.parts.deployments.find(row.slug)
			if (!deployment) throw new Error(`the deployment of run ${row.id} is gone`)
			return { row, deployment, journal: await readJournal(sql, row.id, 0) }
		}),
	)
	// Live only now that all is read: where something could not be, none counts as executed here, and all are claimed again.
	return read.map(({ row, deployment, journal }) => ({ run: liveRun(engine, row, deployment), journal }))
}

/** JSON is read as text. */
type Row = Pick<
	Rows['runs'],
	| 'id'
	| 'version'
	| 'lineage'
	| 'epoch'
	| 'attempt'
	| 'seed'
	| 'prelude'
	| 'depth'
	| 'allowance'
	| 'traceparent'
	| 'created_at'
> &
	Pick<Rows['deployments'], 'slug'> &
	Pick<Rows['versions'], 'digest'> & { inputs: string }

function liveRun(engine: RunEngine, row: Row, deployment: KnownDeployment): LiveRun {
	engine.live.get(row.id)?.settle(null)
	const { promise: ended, resolve: settle } = Promise.withResolvers<RunRecord | null>()
	const { slug: _, created_at, ...stored } = row
	const run: LiveRun = {
		...stored,
		deployment,
		createdAt: created_at.getTime(),
		startedAt: null,
		begunAt: performance.now(),
		heldAt: null,
		stored: true,
		stream: false,
		watched: true,
		cancelReason: null,
		writing: Promise.resolve(),
		ended,
		settle,
	}
	engine.live.set(row.id, run)
	return run
}
