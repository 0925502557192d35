/**
 * Questions of connectors (MCP elicitation), put before people like approvals. A 2026-07-28 server ends its call with
 * them: the run may be parked, and the call is made again with the answers, on whichever host. An older server keeps its
 * call open, so that the wait is bounded, and the call is lost with its host.
 */

import type { Decision } from '../../wire/host-calls.ts'
import type { Asked, Effect } from '../../wire/recorded-effect.ts'
import type { Question, QuestionAnswer, Resumed, ToolAsks } from '../connectors/index.ts'
import { decisionAbout, noteDecision, type Request, record } from './approval.ts'
import type { Run } from './run.ts'

/** Should the news of a decision be lost, it is found by looking. */
const LOOK_MS = 5_000

/** Whose question it is. */
export interface Asker {
	/** The tool, as the model calls it. */
	name: string
	connector: string
}

/** What the entry of a question keeps beside what it shows; equal `round`s are asked together. */
interface Kept {
	round: number
	key: string
	state?: string
}

/** Asks all at once, and resolves with all answers. Undefined: the run is over. */
export function answersTo(
	run: Run,
	effect: Effect,
	asker: Asker,
	{ questions, state }: ToolAsks,
): Promise<Resumed | undefined> {
	const round = effect.requests.length
	const asked = questions.map(({ key, ...question }) => {
		const kept: Kept = { round, key, ...(state !== undefined && { state }) }
		return record(run, effect, requestOf(asker, question), JSON.stringify(kept))
	})
	run.recorder.flush()
	return answersFor(run, effect, asked, true)
}

/** Where an earlier attempt has asked last, and not yet gone on. Undefined: nothing was asked, or the run is over. */
export async function earlierAnswers(run: Run, effect: Effect): Promise<Resumed | undefined> {
	const { data, result } = effect.opening ?? {}
	if (data?.kind !== 'question' || result === undefined) return undefined
	const { round } = JSON.parse(result) as Kept
	const asked = effect.requests.filter(({ entry }) => keptOf(entry)?.round === round)
	return answersFor(run, effect, asked, false)
}

async function answersFor(
	run: Run,
	effect: Effect,
	all: Asked[],
	isNew: boolean,
): Promise<Resumed | undefined> {
	const answers: Resumed['answers'] = []
	for (const asked of all) {
		// Whoever waits for another answer does not hear of this one.
		const decision = await decisionAbout(run, effect, asked, { isNew: isNew && asked === all[0] })
		if (!decision || run.over) return undefined
		noteDecision(run, effect, asked, decision)
		answers.push({ key: keptOf(asked.entry)?.key ?? '', ...answerOf(decision) })
	}
	const { state } = (all[0] && keptOf(all[0].entry)) ?? {}
	return { answers, ...(state !== undefined && { state }) }
}

/** Of an older server: resolves with what it is told. `signal`: it waits no longer. */
export async function answerWhileOpen(
	run: Run,
	effect: Effect,
	asker: Asker,
	question: Question,
	signal: AbortSignal,
): Promise<QuestionAnswer> {
	const asked = record(run, effect, { ...requestOf(asker, question), open: true })
	run.recorder.flush()
	const until = AbortSignal.any([signal, AbortSignal.timeout(run.services.questionMs)])
	const looking = setInterval(() => run.pending.get(effect)?.look(), LOOK_MS)
	const decision = await decisionAbout(run, effect, asked, { isNew: true, until }).finally(() =>
		clearInterval(looking),
	)
	if (!decision || run.over) return { action: 'cancel' }
	noteDecision(run, effect, asked, decision)
	// Once it is told, nobody may take the call for one that was cut off while it asked.
	await run.recorder.barrier()
	return answerOf(decision)
}

/** The last question of a call that stayed open was never answered: with its host, the call is lost. */
export function isCutOff({ opening, requests }: Effect): boolean {
	const last = requests.at(-1)
	if (!opening || !last || last.decision) return false
	return last.entry.data.open === true && last.entry.seq > opening.seq
}

function requestOf({ name, connector }: Asker, { message, schema, url }: Question): Request {
	return {
		kind: 'question',
		question: message,
		arguments: { message, ...(schema && { requestedSchema: schema }), ...(url && { url }) },
		tool: name,
		connector,
	}
}

function answerOf({ approved, content }: Decision): QuestionAnswer {
	if (!approved) return { action: 'decline' }
	return { action: 'accept', ...(content && { content }) }
}

const keptOf = ({ result }: Asked['entry']): Kept | undefined =>
	result === undefined ? undefined : (JSON.parse(result) as Kept)
