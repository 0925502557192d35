import type { FastifyReply } from 'fastify'
import type { KnownDeployment } from '../../deployments/index.ts'
import { Problem, type ProblemCode, problems } from '../../http/errors.ts'
import type { Accepted } from '../accept/accept.ts'
import type { LiveRun, RunEngine, RunRecord } from '../live/types.ts'
import { runJson } from '../live/view.ts'
import { isTerminal, waitForEnd } from '../live/wait.ts'
import type { Preference } from './headers.ts'
import { streamRun } from './stream.ts'

interface Mode {
	/** `deployment_url`. */
	url: string
	deployment: Pick<KnownDeployment, 'id' | 'keptDays'>
	stream: boolean
	/** The caller is its owner, not a run key. */
	owner: boolean
	/** Whether the caller would be let in again. */
	letIn: () => Promise<boolean>
	prefer: Preference
}

/** One run, answered in the way the caller asked for (spec run.waits). */
export async function answerRun(
	engine: RunEngine,
	reply: FastifyReply,
	accepted: Accepted,
	mode: Mode,
): Promise<unknown> {
	const { id } = accepted.replayed ? accepted.record : accepted.live
	const location = `${mode.url}/runs/${id}`
	if (accepted.replayed) reply.header('idempotency-replayed', 'true')
	if (mode.stream) {
		const headers = {
			'content-location': location,
			...(accepted.replayed && { 'idempotency-replayed': 'true' }),
		}
		const { deployment, owner, letIn } = mode
		return streamRun(engine, reply, { deployment: deployment.id, run: id, owner, letIn, after: 0, headers })
	}
	const record = await outcome(engine, accepted, mode)
	if (!isTerminal(record)) {
		if (mode.prefer.applied) reply.header('preference-applied', mode.prefer.applied)
		return sendRun(reply.header('location', location), 202, record)
	}
	reply.header('content-location', location)
	if (record.status === 'succeeded') return sendRun(reply, 200, record)
	throw failure(record)
}

async function outcome(
	engine: RunEngine,
	accepted: Accepted,
	{ deployment, prefer }: Mode,
): Promise<RunRecord> {
	if (accepted.replayed && isTerminal(accepted.record)) return accepted.record
	if (prefer.waitMs === 0) return accepted.replayed ? accepted.record : recordOfLive(accepted.live)
	const { id } = accepted.replayed ? accepted.record : accepted.live
	return waitForEnd(engine, deployment, id, prefer.waitMs)
}

/** A run that has just been stored, without reading it back. */
function recordOfLive(run: LiveRun): RunRecord {
	return {
		id: run.id,
		deployment: run.deployment.id,
		version: run.version,
		lineage: run.lineage,
		status: 'queued',
		inputs: run.inputs,
		output: null,
		citations: null,
		error: null,
		usage: null,
		created_at: run.createdAt,
		started_at: null,
		completed_at: null,
		kept_days: run.deployment.keptDays,
	}
}

export function sendRun(reply: FastifyReply, status: number, record: RunRecord): FastifyReply {
	return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(runJson(record))
}

/** The run's own code decides the status; the run goes along. */
export function failure(record: RunRecord): Problem {
	const code = record.error?.code ?? 'internal_error'
	const known = code in problems ? (code as ProblemCode) : 'internal_error'
	return new Problem(known, record.error?.message ?? 'The run failed.', {
		members: { run: JSON.parse(runJson(record)) },
	})
}
