import type { Entry } from '../../../runtime/wire/journal.ts'
import type { LockedTool } from '../../../runtime/wire/replay.ts'
import type { RuntimeCalls } from '../../../runtime/wire/runtime-calls.ts'
import type { ModelCall, ReplayReport } from '../../api/replay.ts'
import type { Rows } from '../../db/index.ts'
import { keptDays } from '../../deployments/index.ts'
import { notFound, Problem } from '../../http/errors.ts'
import { isKept } from '../live/expiry.ts'
import { readJournal } from '../live/read.ts'
import { isTerminal } from '../live/wait.ts'
import type { ReplayParts } from './parts.ts'

const replayMs = 130_000

/** The run's own bundle; another version of its deployment; or a bundle that is nowhere yet. */
export type Against = { version: number } | { bundle: Uint8Array } | null

/** Offline: answers come from the journal, so that a replay costs nothing and does nothing. `full`: with the model's calls. */
export async function replayRun(
	parts: ReplayParts,
	accountId: string,
	id: string,
	{ against, full }: { against: Against; full: boolean },
): Promise<ReplayReport> {
	const row = await readRecorded(parts, accountId, id)
	if (!isTerminal(row)) throw new Problem('conflict', 'The run has not ended yet.')
	const journal = await readJournal(parts.sql, id, 0)
	const program = against && (await programOf(parts, row, against))
	const result = await replay(parts, row, journal, { program, full })
	const { version } = row
	const base = { run: id, version, events: journal.length, ...(full && { model_calls: result.calls ?? [] }) }
	if (result.same) return { ...base, same: true, effects: result.effects }
	const { effect, recorded: was, asked } = result
	return { ...base, same: false, effect, recorded: shown(was), asked: shown(asked) }
}

/** What the model was sent in each call so far, by the call's number; the run may still be under way. */
export async function readModelCalls(
	parts: ReplayParts,
	accountId: string,
	id: string,
	journal: Entry[],
): Promise<Map<number, ModelCall>> {
	const row = await readRecorded(parts, accountId, id)
	const { calls = [] } = await replay(parts, row, journal, { program: null, full: true })
	return new Map(calls.map((call) => [call.call, call]))
}

async function readRecorded(parts: ReplayParts, accountId: string, id: string): Promise<Row> {
	const [row] = await parts.sql<Row[]>`
		select r.id as run, r.deployment_id as deployment, r.status, r.version, r.inputs::text, r.seed, r.prelude,
			v.digest,
			case when r.status = 'succeeded' then r.output::text end as output
		from runs r
		join deployments d on d.id = r.deployment_id and d.account_id = ${accountId}
		join versions v on v.deployment_id = r.deployment_id and v.version = r.version
		where r.id = ${id} and ${isKept(parts.sql, keptDays(parts.sql, parts.config))}`
	if (!row) throw notFound('There is no such run.')
	return row
}

async function replay(
	parts: ReplayParts,
	{ status: _, version: __, ...recorded }: Row,
	journal: Entry[],
	{ program, full }: { program: Program | null; full: boolean },
): Promise<ReturnType<RuntimeCalls['run.replay']>> {
	const tools = full && {
		tools: await parts.sql<LockedTool[]>`
			select connector, tool as name, definition from tool_locks where deployment_id = ${recorded.deployment}`,
	}
	const args = { ...recorded, journal, ...(program && { against: program }), ...tools }
	return parts.runtime.call('run.replay', args, { timeoutMs: replayMs })
}

/** JSON is read as text. */
type Row = Pick<Rows['runs'], 'status' | 'version' | 'seed' | 'prelude'> &
	Pick<Rows['versions'], 'digest'> & {
		run: string
		deployment: string
		inputs: string
		output: string | null
	}

type Program = NonNullable<Parameters<RuntimeCalls['run.replay']>[0]['against']>

async function programOf(
	parts: ReplayParts,
	{ deployment }: Row,
	against: NonNullable<Against>,
): Promise<Program> {
	if ('bundle' in against) return { base64: Buffer.from(against.bundle).toString('base64') }
	const [row] = await parts.sql<{ digest: string }[]>`
		select digest from versions where deployment_id = ${deployment} and version = ${against.version}`
	if (!row) throw notFound('The deployment has no such version.')
	return { digest: row.digest }
}

const shown = (asked: { method: string; args: string } | null) =>
	asked && { method: asked.method, arguments: JSON.parse(asked.args) as unknown }
