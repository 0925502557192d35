import type { Entry, RuntimeCalls } from '../../runtime/index.ts'
import type { ReplayReport } from '../api/replay.ts'
import type { Host } from '../context.ts'
import { notFound, Problem } from '../errors.ts'
import { readJournal } from './read.ts'
import { isTerminal } from './wait.ts'

const replayMs = 130_000

/** The run's own bundle; another version of its deployment; or a bundle that is nowhere yet. */
export type Against = { version: number } | { bundle: Uint8Array } | null

/** Offline: answers come from the journal, so that a replay costs nothing and does nothing. */
export async function replayRun(
	host: Host,
	accountId: string,
	id: string,
	against: Against,
): Promise<ReplayReport> {
	const [row] = await host.sql<Row[]>`
		select r.id as run, r.deployment_id as deployment, r.status, r.version, r.inputs::text, r.seed, r.prelude,
			v.digest,
			case when r.status = 'succeeded' then r.output::text end as output
		from runs r
		join deployments d on d.id = r.deployment_id and d.account_id = ${accountId}
		join versions v on v.deployment_id = r.deployment_id and v.version = r.version
		where r.id = ${id}`
	if (!row) throw notFound('There is no such run.')
	const { status, version, ...recorded } = row
	if (!isTerminal({ status })) throw new Problem('conflict', 'The run has not ended yet.')
	const journal: Entry[] = await readJournal(host.sql, id, 0)
	const result = await host.runtime.call(
		'run.replay',
		{ ...recorded, journal, ...(against && { against: await programOf(host, row, against) }) },
		{ timeoutMs: replayMs },
	)
	const base = { run: id, version, events: journal.length }
	if (result.same) return { ...base, same: true, effects: result.effects }
	const { effect, recorded: was, asked } = result
	return { ...base, same: false, effect, recorded: shown(was), asked: shown(asked) }
}

interface Row {
	run: string
	deployment: string
	status: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled'
	version: number
	inputs: string
	seed: string
	prelude: string | null
	digest: string
	output: string | null
}

type Program = NonNullable<Parameters<RuntimeCalls['run.replay']>[0]['against']>

async function programOf(host: Host, { deployment }: Row, against: NonNullable<Against>): Promise<Program> {
	if ('bundle' in against) return { base64: Buffer.from(against.bundle).toString('base64') }
	const [row] = await host.sql<{ digest: string }[]>`
		select digest from versions where deployment_id = ${deployment} and version = ${against.version}`
	if (!row) throw notFound('The deployment has no such version.')
	return { digest: row.digest }
}

const shown = (asked: { method: string; args: string } | null) =>
	asked && { method: asked.method, arguments: JSON.parse(asked.args) as unknown }
