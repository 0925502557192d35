import { createHash, randomBytes } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import { heavyPointers } from '../../../bundles/index.ts'
import { sharedNow } from '../../../runtime/lib/clock.ts'
import type { Allowance } from '../../../runtime/wire/agent-calls.ts'
import { readTraceparent, traceparentOf } from '../../../runtime/wire/trace.ts'
import { requireBudget } from '../../budgets/index.ts'
import type { Sql } from '../../db/index.ts'
import { hasBudget, type KnownDeployment, notRunning, requireUnblocked } from '../../deployments/index.ts'
import { filesOfInputs, linkFiles, unlinkFiles } from '../../files/index.ts'
import { Problem, type ProblemCode } from '../../http/errors.ts'
import { newId } from '../../lib/ids.ts'
import { readIdempotent } from '../live/read.ts'
import type { Idempotency, LiveRun, RunEngine, RunRecord } from '../live/types.ts'
import type { RunParts } from '../parts.ts'
import { canonicalInputs } from './canonical.ts'

export interface RunCall {
	inputs: Record<string, unknown>
	/** Null: the owner's own call. */
	lineage: string | null
	idempotencyKey: string | null
	stream: boolean
	/** How many agents stand above it. */
	depth?: number
	/** What its caller, another agent's run, lets it use. */
	allowance?: Allowance | undefined
	/** The caller's header, not yet believed. */
	traceparent?: unknown
}

export type Accepted = { live: LiveRun; replayed: false } | { record: RunRecord; replayed: true }

/** A stale view of the deployment is read again; that many times, for it may be changing just now. */
const attemptsMax = 4

/**
 * Takes a run, or finds the one that its Idempotency-Key names, which it does whatever has become of deployment and
 * budget since: that run is there. Where the deployment is known, the only wait is the insert, and the runtime prepares
 * the sandbox meanwhile.
 */
export async function acceptRun(engine: RunEngine, known: KnownDeployment, call: RunCall): Promise<Accepted> {
	const { sql } = engine.parts
	let deployment = known
	for (let attempt = 1; attempt <= attemptsMax; attempt++) {
		const given = await filesOfInputs(sql, deployment, call.inputs, call.lineage)
		const compared = canonicalInputs(given.compared)
		const body = call.idempotencyKey === null ? '' : createHash('sha256').update(compared).digest('hex')
		const idempotency = call.idempotencyKey === null ? null : { key: call.idempotencyKey, body }
		const before = async () => {
			const held = idempotency && (await readIdempotent(sql, known, call.lineage, idempotency.key))
			return held && replay(held, body)
		}
		try {
			const stored = await requireAcceptable(
				engine,
				deployment,
				{ ...call, inputs: given.inputs },
				call.inputs,
			)
			const live = newRun(engine.parts, deployment, stored ?? compared, call)
			if (await begin(engine, live, deployment.rev, idempotency, given.files))
				return { live, replayed: false }
		} catch (refusal) {
			if (!(refusal instanceof Problem)) throw refusal
			const accepted = await before()
			if (accepted) return accepted
			const now = ofState.has(refusal.code) ? await reread(engine.parts, deployment) : deployment
			if (now.rev === deployment.rev) throw refusal
			deployment = now
			continue
		}
		const accepted = await before()
		if (accepted) return accepted
		deployment = await reread(engine.parts, deployment)
	}
	throw new Problem('conflict', 'The deployment is being changed again and again. Try again.')
}

/** Refusals that another host's change may have settled a moment ago. */
const ofState = new Set<ProblemCode>([
	'connector_not_connected',
	'credentials_missing',
	'deployment_not_running',
])

async function begin(
	engine: RunEngine,
	live: LiveRun,
	rev: number,
	idempotency: Idempotency,
	files: string[],
): Promise<boolean> {
	const { sql } = engine.parts
	if (files.length > 0) await linkFiles(sql, live.id, files)
	const unlink = async () => {
		if (files.length > 0) await unlinkFiles(sql, live.id)
	}
	try {
		if (await engine.begin(live, rev, idempotency)) return true
	} catch (error) {
		// Only a refusal: of a write whose answer was lost, the run may be there.
		if (error instanceof Problem) await unlink()
		throw error
	}
	await unlink()
	return false
}

/** Answers with the inputs that the run is to have, as canonical JSON, where they are not just those that were sent. */
async function requireAcceptable(
	engine: RunEngine,
	deployment: KnownDeployment,
	{ inputs, lineage }: RunCall,
	sent: Record<string, unknown>,
): Promise<string | null> {
	if (deployment.state !== 'running') throw notRunning(deployment.state)
	const whole = await requireInputs(engine.parts, deployment, inputs, lineage ?? OWNER)
	requireUnblocked(deployment)
	if (hasBudget(deployment, lineage))
		await requireBudget(engine.parts.sql, { deployment: deployment.id, lineage })
	engine.requireRoom()
	return whole === sent ? null : canonicalInputs(whole)
}

async function reread({ deployments }: RunParts, { slug }: KnownDeployment): Promise<KnownDeployment> {
	const deployment = await deployments.refresh(slug)
	if (!deployment) throw notRunning('deleted')
	return deployment
}

function replay(held: { record: RunRecord; body: string }, body: string): Accepted {
	if (held.body === body) return { record: held.record, replayed: true }
	throw new Problem(
		'idempotency_key_reused',
		'This Idempotency-Key was used with other inputs in the last 24 hours.',
	)
}

/** In place of a run key's lineage. */
export const OWNER = 'owner'

/** Where a slow schema is told to the owner. */
interface Noting {
	sql: Sql
	log: FastifyBaseLogger
}

type Checked = Pick<KnownDeployment, 'id' | 'complete' | 'validate' | 'agent' | 'version'>

/**
 * The inputs with their defaults, which fit the agent's schema; the very same object where there are none to add.
 * `caller`: whose inputs they are. Whoever keeps sending what takes too long to check is not heard for a while.
 */
export async function requireInputs(
	parts: Noting,
	deployment: Checked,
	inputs: Record<string, unknown>,
	caller: string,
): Promise<Record<string, unknown>> {
	const completed = deployment.complete ? deployment.complete(inputs) : { value: inputs }
	if ('fault' in completed)
		throw new Problem('inputs_invalid', `The inputs do not fit the agent: ${completed.fault}.`)
	const found = deployment.validate(completed.value, { queue: deployment.id, caller })
	const errors = Array.isArray(found) ? found : await found
	const [first] = errors
	if (!first) return completed.value as Record<string, unknown>
	const { message, retry_seconds, timed_out } = first
	const schema = timed_out || retry_seconds ? slowSchema(deployment) : ''
	if (timed_out && retry_seconds === undefined) noteSlowSchema(parts, deployment, schema)
	if (retry_seconds !== undefined)
		throw new Problem('rate_limited', `The inputs were not checked: a value ${message}. ${schema}`, {
			headers: { 'retry-after': String(retry_seconds) },
		})
	const fit = `The inputs do not fit the agent: ${first.path || 'inputs'} ${message}.`
	throw new Problem('inputs_invalid', timed_out ? `${fit} ${schema}` : fit, {
		errors: errors.map(({ path, message }) => ({ path: `/inputs${path}`, message })),
	})
}

/** Names the schema to its owner: what in it may take so long. */
function slowSchema({ agent, version }: Checked): string {
	const pointers = [...heavyPointers(agent.inputs)].slice(0, 3).join(', ')
	return `The input schema of version ${version} can take too long to check${pointers && ` (look at /inputs${pointers.replaceAll(', ', ', /inputs')} in agent.yaml)`}.`
}

/** Where the owner looks: `state_reason` of the running deployment, until another version is active. */
function noteSlowSchema({ sql, log }: Noting, { id, version }: Checked, reason: string): void {
	sql`
		update deployments set state_reason = ${reason}
		where id = ${id} and version = ${version} and state = 'running' and state_reason is distinct from ${reason}`.catch(
		(error) => log.warn({ err: error, deployment: id }, 'a slow input schema was not noted'),
	)
}

function newRun(
	{ traces }: Pick<RunParts, 'traces'>,
	deployment: KnownDeployment,
	inputs: string,
	call: RunCall,
): LiveRun {
	const { promise: ended, resolve: settle } = Promise.withResolvers<RunRecord | null>()
	// Before the id, whose time is never earlier: a list `since` a run's time goes by ids and holds that run.
	const createdAt = sharedNow()
	const caller = traces && readTraceparent(call.traceparent)
	return {
		id: newId('run'),
		deployment,
		version: deployment.version,
		digest: deployment.digest,
		lineage: call.lineage,
		...(call.depth && { depth: call.depth }),
		...(call.allowance && { allowance: call.allowance }),
		...(caller && { traceparent: traceparentOf(caller) }),
		epoch: 1,
		attempt: 1,
		inputs,
		seed: randomBytes(16).toString('hex'),
		createdAt,
		startedAt: null,
		begunAt: performance.now(),
		heldAt: null,
		stored: false,
		stream: call.stream,
		watched: false,
		cancelReason: null,
		writing: Promise.resolve(),
		ended,
		settle,
	}
}
