/**
 * What a person decides. The request is an entry of the journal; the decision lies with the host, which is asked for it
 * whenever the run begins again, and when it says that there is one. Until then nothing of the effect happens.
 */
import { canonicalJson, nestsTooDeep, sha256, TOO_DEEP } from '../../../bundles/index.ts'
import { untilDone } from '../../lib/retry.ts'
import type { Decision } from '../../wire/host-calls.ts'
import type { Asked, Effect } from '../../wire/recorded-effect.ts'
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
	/** A connector asks, in the middle of a call. */
	kind?: 'question'
	/** Its call stays open meanwhile, and is lost with its host. */
	open?: true
}

/** Resolves in this attempt of the run or, when it has waited, in a later one. Undefined: the run is over. */
export async function decisionOn(run: Run, effect: Effect, request: Request): Promise<Decision | undefined> {
	const [before] = effect.requests
	const asked = before ?? record(run, effect, request)
	if (!before) run.recorder.flush()
	return decisionAbout(run, effect, asked, { isNew: !before })
}

/** `until`: nobody needs the decision any more; it is then undefined, too. */
export async function decisionAbout(
	run: Run,
	effect: Effect,
	{ entry, decision: known }: Asked,
	{ isNew, until }: { isNew: boolean; until?: AbortSignal },
): Promise<Decision | undefined> {
	if (known) return known
	const id = String(entry.data.id)
	for (let look = !isNew; ; look = true) {
		const decision = look ? await ask(run, id) : undefined
		if (decision || run.over || until?.aborted) return decision
		await new Promise<void>((resolve) => {
			run.pending.set(effect, { id, open: until !== undefined, look: resolve })
			until?.addEventListener('abort', () => resolve(), { once: true })
		})
		run.pending.delete(effect)
	}
}

/** Writes down what was decided, once, where the effect goes on after it. */
export function noteDecision(run: Run, effect: Effect, asked: Asked, decision: Decision): void {
	if (asked.decision) return
	asked.decision = decision
	const data = decisionData(effect, asked, decision)
	run.recorder.append({ type: 'approval.decided', effect: effect.n, data })
}

/** Of the entry that tells of a decision. */
export function decisionData(
	effect: Effect,
	{ entry }: Asked,
	{ approved, note, content }: Decision,
): Record<string, unknown> {
	const decision = approved ? 'approve' : 'deny'
	return { id: entry.data.id, call: effect.n, decision, note, ...(content && { content }) }
}

/** The host has a decision, it does not say which. */
export function decided(run: Run): void {
	for (const { look } of run.pending.values()) look()
}

/** `kept`: JSON text that the effect goes on with; the event does not show it. */
export function record(run: Run, effect: Effect, request: Request, kept?: string): Asked {
	if (run.effects.reduce((sum, { requests }) => sum + requests.length, 0) >= REQUESTS_MAX) {
		throw new RunFailure('step_limit_reached', `The run asked for more than ${REQUESTS_MAX} approvals.`)
	}
	const text = canonical(request.arguments)
	if (text.length > ARGUMENTS_MAX_CHARS) {
		throw new EffectRejection(
			'invalid_request',
			`What a person is to approve may have ${ARGUMENTS_MAX_CHARS} characters; this has ${text.length}.`,
		)
	}
	const id = approvalId(run.begin.run, effect.n, effect.requests.length + 1)
	const entry = run.recorder.append({
		type: 'approval.requested',
		effect: effect.n,
		// A call that stays open is still the one that was begun.
		...(!request.open && { digest: effect.digest }),
		...(kept !== undefined && { result: kept }),
		data: { id, call: effect.n, ...request, digest: `sha256:${sha256(text)}` },
	})
	if (!request.open) effect.opening = entry
	const asked: Asked = { entry, decision: undefined }
	effect.requests.push(asked)
	return asked
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

/**
 * The run's own id with the effect's number in its last 15 bits: the same however often the program runs. From the second
 * request of an effect on, its number follows.
 */
export function approvalId(run: string, effect: number, request: number): string {
	const digits = [effect >>> 10, effect >>> 5, effect].map((part) => CROCKFORD[part & 31]).join('')
	const first = `apr_${run.slice('run_'.length, -digits.length)}${digits}`
	return request === 1 ? first : `${first}-${request}`
}
