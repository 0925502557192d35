/**
 * What a person decides. The request is an entry of the journal; the decision lies with the host, which is asked for it
 * whenever the run begins again, and when it says that there is one. Until then nothing of the effect happens.
 */
import { canonicalJson, nestsTooDeep, sha256, TOO_DEEP } from '../../../bundles/index.ts'
import { untilDone } from '../../lib/retry.ts'
import type { Decision } from '../../wire/host-calls.ts'
import type { Effect } from '../../wire/recorded-effect.ts'
import { EffectRejection, RunAbandoned, RunFailure } from './failure.ts'
import type { Run } from './run.ts'

/** A person must be able to read all of it. */
const ARGUMENTS_MAX_CHARS = 256 * 1024
/** In one run; more than that is no question any more. */
const REQUESTS_MAX = 100
const ANSWER_MS = 30_000

export interface Request {
	question: string
	/** What is agreed to, exactly: the decision names its digest. */
	arguments: unknown
	/** The tool that is to be called with them. */
	tool?: string
	connector?: string
}

/** Resolves in this attempt of the run or, when it has waited, in a later one. Undefined: the run is over. */
export async function decisionOn(run: Run, effect: Effect, request: Request): Promise<Decision | undefined> {
	if (effect.decided) return effect.decided
	const id = approvalId(run.begin.run, effect.n)
	if (effect.requested) {
		const decision = await ask(run, id)
		if (decision || run.over) return decision
	} else record(run, effect, id, request)
	for (;;) {
		await new Promise<void>((resolve) => run.pending.set(effect, resolve))
		run.pending.delete(effect)
		const decision = await ask(run, id)
		if (decision || run.over) return decision
	}
}

/** Of the entry that tells of a decision. */
export function decisionData(
	run: Run,
	effect: Effect,
	{ approved, note }: Decision,
): Record<string, unknown> {
	const decision = approved ? 'approve' : 'deny'
	return { id: approvalId(run.begin.run, effect.n), call: effect.n, decision, note }
}

/** The host has a decision, it does not say which. */
export function decided(run: Run): void {
	for (const look of run.pending.values()) look()
}

function record(run: Run, effect: Effect, id: string, request: Request): void {
	if (run.effects.filter(({ requested }) => requested).length >= REQUESTS_MAX) {
		throw new RunFailure('step_limit_reached', `The run asked for more than ${REQUESTS_MAX} approvals.`)
	}
	const text = canonical(request.arguments)
	if (text.length > ARGUMENTS_MAX_CHARS) {
		throw new EffectRejection(
			'invalid_request',
			`What a person is to approve may have ${ARGUMENTS_MAX_CHARS} characters; this has ${text.length}.`,
		)
	}
	const data = { id, call: effect.n, ...request, digest: `sha256:${sha256(text)}` }
	effect.requested = run.recorder.append({
		type: 'approval.requested',
		effect: effect.n,
		digest: effect.digest,
		data,
	})
	effect.opening = effect.requested
	run.recorder.flush()
}

function canonical(value: unknown): string {
	if (nestsTooDeep(value))
		throw new EffectRejection('invalid_request', `This cannot be put before a person: it ${TOO_DEEP}.`)
	try {
		return canonicalJson(value)
	} catch (cause) {
		const why = (cause as Error).message
		throw new EffectRejection('invalid_request', `This cannot be put before a person: ${why}.`, { cause })
	}
}

async function ask(run: Run, id: string): Promise<Decision | undefined> {
	const question = () =>
		run.services.host.call('approval.get', { run: run.begin.run, id }, { timeoutMs: ANSWER_MS })
	const { decision } = await untilDone(question).catch((cause: unknown) => {
		throw new RunAbandoned(`decisions cannot be read: ${(cause as Error).message}`, { cause })
	})
	return decision ?? undefined
}

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz'

/** The run's own id with the effect's number in its last 15 bits: the same however often the program runs. */
export function approvalId(run: string, effect: number): string {
	const digits = [effect >>> 10, effect >>> 5, effect].map((part) => CROCKFORD[part & 31]).join('')
	return `apr_${run.slice('run_'.length, -digits.length)}${digits}`
}
