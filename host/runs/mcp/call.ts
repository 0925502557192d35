import { type CallToolResult, type InputRequiredResult, inputRequired } from '@modelcontextprotocol/server'
import { ALLOWANCE, CALL_KEY, DEPTH, SPENT, type Spent } from '../../../runtime/wire/agent-calls.ts'
import type { KnownDeployment } from '../../deployments/index.ts'
import { toProblem } from '../../http/validation.ts'
import { type Accepted, acceptRun } from '../accept/accept.ts'
import type { RunRecord } from '../live/types.ts'
import { isShown } from '../live/view.ts'
import { isTerminal, waitForEnd } from '../live/wait.ts'
import { allowanceOf, depthOf, keyOf } from './meta.ts'
import { type AgentParts, cancelled } from './parts.ts'
import { failed, resultOf } from './tool.ts'

/** Longest wait of one call. A run may take longer, or wait for a person: it goes on. */
const waitMs = 600_000
/** A run may log faster than its caller wants to hear. */
const progressMs = 250

export interface AgentCall {
	deployment: KnownDeployment
	/** Null: the owner's own call. */
	lineage: string | null
	inputs: Record<string, unknown>
	meta: Record<string, unknown>
	/** The request's header; `_meta` counts first. */
	traceparent: unknown
	/** Undefined: the caller wants to hear of no progress. */
	progress: ((step: number, message: string) => void) | undefined
	/** It can be asked to make the call again (2026-07-28). */
	comesBack: boolean
	/** Aborted with `cancelled` where the caller said so, else by its hanging up. */
	signal: AbortSignal
}

export type Answer = CallToolResult | InputRequiredResult

/** One call is one run. Whatever refuses it is the tool's failure, so that a model can read it. */
export async function callAgent(parts: AgentParts, call: AgentCall): Promise<Answer> {
	const { deployment } = call
	/** Of a call without a run. */
	let spent: Spent | undefined = { tokens: 0, usd: 0 }
	try {
		const { accepted, keyed } = await accept(parts, call)
		spent = undefined
		if (accepted.replayed && isTerminal(accepted.record)) return resultOf(deployment, accepted.record)
		const { id } = accepted.replayed ? accepted.record : accepted.live
		const record = await outcome(parts, call, { id, keyed, attached: accepted.replayed })
		if (!record) return failed('cancelled', 'The caller cancelled the call.')
		// The run is handed over with this host's others, and the same call finds it there.
		const handedOver = !isTerminal(record) && parts.runs.engine.isParted()
		if (handedOver && keyed && call.comesBack) return inputRequired({ requestState: id })
		return resultOf(deployment, record)
	} catch (error) {
		const problem = toProblem(error)
		if (problem.status >= 500) parts.log.error({ err: error }, 'a call of an agent failed')
		return failed(problem.code, problem.message, spent && { [SPENT]: spent })
	}
}

async function accept(
	{ runs: { engine, refusals } }: AgentParts,
	{ deployment, inputs, lineage, meta, ...given }: AgentCall,
): Promise<{ accepted: Accepted; keyed: boolean }> {
	try {
		const idempotencyKey = keyOf(meta[CALL_KEY])
		const depth = depthOf(meta[DEPTH])
		const allowance = allowanceOf(meta[ALLOWANCE])
		const traceparent = meta.traceparent ?? given.traceparent
		const call = { inputs, lineage, idempotencyKey, depth, allowance, traceparent, stream: false }
		return { accepted: await acceptRun(engine, deployment, call), keyed: idempotencyKey !== null }
	} catch (refusal) {
		refusals.count(deployment.id, refusal)
		throw refusal
	}
}

/** Null: the caller has gone, and the run is cancelled unless others wait for it. */
async function outcome(
	{ runs: { engine }, waiters }: AgentParts,
	{ deployment, progress, signal }: AgentCall,
	{ id, keyed, attached }: { id: string; keyed: boolean; attached: boolean },
): Promise<RunRecord | null> {
	waiters.join(id, attached)
	const gone = Promise.withResolvers<null>()
	const leave = () => gone.resolve(null)
	signal.addEventListener('abort', leave, { once: true })
	if (signal.aborted) leave()
	const stop = progress && tellProgress(engine, id, progress)
	let record: RunRecord | null | undefined
	try {
		record = await Promise.race([waitForEnd(engine, deployment, id, waitMs), gone.promise])
		return record
	} finally {
		stop?.()
		signal.removeEventListener('abort', leave)
		if (record === null) waiters.leave(id, { said: signal.reason === cancelled, keyed })
		else waiters.done(id)
	}
}

function tellProgress(
	engine: AgentParts['runs']['engine'],
	id: string,
	tell: NonNullable<AgentCall['progress']>,
): () => void {
	let step = 0
	let toldAt = Number.NEGATIVE_INFINITY
	return engine.feed.subscribe(id, (entries) => {
		const news = entries?.filter(isShown).at(-1)?.type ?? (entries === null ? 'run.running' : undefined)
		if (news === undefined || performance.now() - toldAt < progressMs) return
		toldAt = performance.now()
		tell(++step, news)
	})
}
