import { asksPlatform, keyName, PROVIDER } from '../../../bundles/index.ts'
import { clockFrom } from '../../lib/clock.ts'
import { httpName } from '../../wire/in-flight.ts'
import type { Entry, EventType } from '../../wire/journal.ts'
import { type Effect, effectsOf } from '../../wire/recorded-effect.ts'
import type { RunBegin } from '../../wire/runtime-calls.ts'
import { usageOf } from '../../wire/usage.ts'
import type { BundleCache, LoadedBundle } from './bundle-cache.ts'
import { abandon, fail } from './end.ts'
import { failingOf } from './failing.ts'
import { RunFailure } from './failure.ts'
import { fetchContent } from './file-replay.ts'
import { createGate } from './gate.ts'
import { newGuest, startEffect, startGuest } from './guest.ts'
import { nothingHeld } from './held.ts'
import { MODEL_CALLS_AT_ONCE, TOOL_CALLS_AT_ONCE } from './limits.ts'
import { charsRead } from './memory.ts'
import { isCutOff } from './questions.ts'
import { createRecorder } from './recorder.ts'
import type { Run } from './run.ts'
import type { Services } from './services.ts'
import { holdOpen } from './share.ts'

export function createRun(services: Services, bundles: BundleCache, begin: RunBegin): Run {
	const { journal } = begin
	const { effects, closings } = effectsOf(journal)
	const at = clockFrom(services.date, journal.at(-1)?.at)
	const run: Run = {
		services,
		bundles,
		begin,
		bundle: undefined as unknown as LoadedBundle,
		recorder: createRecorder({
			host: services.host,
			run: begin.run,
			epoch: begin.epoch,
			lastSeq: journal.at(-1)?.seq ?? 0,
			at,
			onAbandoned: (error) => abandon(run, error),
		}),
		at,
		startedAt: 0,
		effects,
		closings,
		guest: newGuest(),
		lost: 0,
		starved: 0,
		alone: false,
		goneAt: 0,
		handedOver: false,
		watched: begin.stream,
		outcome: undefined,
		over: false,
		stack: undefined,
		...usedBefore(journal, effects),
		deadline: Number.POSITIVE_INFINITY,
		abort: new AbortController(),
		running: new Set(),
		pending: new Map(),
		heldSince: undefined,
		retrying: new Set(),
		activeAt: services.now(),
		held: nothingHeld(),
		shares: new Map(),
		asking: new Map(),
		calls: new Map(),
		modelGate: createGate(MODEL_CALLS_AT_ONCE),
		toolGate: createGate(TOOL_CALLS_AT_ONCE),
		deltas: new Map(),
		rejections: new Set(closings.flatMap(({ closing }) => rejectionOf(closing))),
		scrubbers: new Set(),
		inFlight: [],
		finished: Promise.withResolvers(),
		fetch: (effect, standIn) => void fetchContent(run, effect, standIn),
		start: (effect) => startEffect(run, effect),
	}
	holdOpen(run)
	// The host counts anew after each wait for a person.
	const before = journal.filter(({ type }) => type === 'run.started').length
	const attempt = Math.max(begin.attempt, before + 1)
	const started = run.recorder.append({ type: 'run.started', data: { attempt, version: begin.version } })
	return Object.assign(run, { startedAt: (journal[0] ?? started).at })
}

function count(effects: readonly Effect[], type: EventType): number {
	return effects.filter(({ opening, closing }) => (opening ?? closing)?.type === type).length
}

/** What earlier attempts have used. */
function usedBefore(journal: readonly Entry[], effects: readonly Effect[]) {
	const responses = journal.filter(({ type }) => type === 'http.completed')
	return {
		usage: usageOf(journal),
		steps: count(effects, 'model.started'),
		toolCalls: begun(journal, 'tool.started'),
		httpCalls: begun(journal, 'http.started'),
		httpChars: responses.reduce((sum, { result = '' }) => sum + result.length, 0),
		memoryChars: charsRead(journal),
		failing: failingOf(journal),
		usedMs: usedMs(journal),
	}
}

/** Effects that an entry of this type begins, each once. */
const begun = (journal: readonly Entry[], wanted: EventType) =>
	new Set(journal.filter(({ type }) => type === wanted).map(({ effect }) => effect)).size

/** Begins a run with its bundle at hand: refuses what cannot succeed before anything is spent, then starts its program. */
export function prepare(run: Run, bundle: LoadedBundle): void {
	if (run.over) return
	run.bundle = bundle
	const refusal = refusalOf(run)
	if (refusal) return void fail(run, refusal.code, refusal.message)
	armDeadline(run)
	startGuest(run)
}

/** Queueing, and waiting for the bundle's first arrival, are not the run's time. */
export function armDeadline(run: Run): void {
	if (run.goneAt === 0 || !run.bundle) return
	run.deadline = run.services.now() + run.bundle.agent.limits.seconds * 1000 - run.usedMs
}

function refusalOf({ begin, bundle, effects, services: { credentials } }: Run): RunFailure | undefined {
	const { deployment } = begin
	const [unknown] = effects.filter((effect) => effect.state === 'recorded' && isUnrepeatable(effect))
	if (unknown?.opening) {
		const { type, data } = unknown.opening
		const what =
			type === 'http.started' ? `The request ${httpName(unknown.opening)}` : `A call of ${String(data.name)}`
		return new RunFailure(
			'outcome_unknown',
			`${what} was under way when its host was lost. Nobody knows whether it was executed, and it is not repeatable (agent.yaml does not mark it idempotent).`,
		)
	}
	if (asksPlatform(bundle.agent)) {
		return new RunFailure(
			'platform_provider_refused',
			"Deployed agents run on their owner's key, not on the platform's provider.",
		)
	}
	const unreadable = credentials.unreadable(deployment)
	if (unreadable !== undefined) return new RunFailure('agent_error', unreadable)
	const keyless = bundle.keys.find(({ credential }) => credentials.version(deployment, credential) === 0)
	if (keyless) {
		const which = keyless.credential === PROVIDER ? 'of the model provider' : keyName(keyless.credential)
		return new RunFailure('credentials_missing', `The key ${which} has not been uploaded.`)
	}
	for (const { origin, secrets } of bundle.http.values()) {
		const missing = secrets.find(({ credential }) => credentials.version(deployment, credential) === 0)
		if (missing)
			return new RunFailure(
				'credentials_missing',
				`The secret ${missing.name} for ${origin} has not been uploaded.`,
			)
	}
	const signedOut = bundle.connectors.find(
		({ credential }) => credential !== null && credentials.version(deployment, credential) === 0,
	)
	if (!signedOut) return undefined
	return new RunFailure(
		'connector_not_connected',
		`${signedOut.url} has no sign-in yet. Run \`berth connect\` for this deployment.`,
	)
}

/** A tool call or request that was begun, has no result, and is not repeatable. */
function isUnrepeatable(effect: Effect): boolean {
	const { opening } = effect
	const reaches = opening?.type === 'tool.started' || opening?.type === 'http.started'
	return reaches && opening.data.repeatable !== true && !isCutOff(effect)
}

function rejectionOf(closing: Entry | undefined): string[] {
	if (closing?.ok && closing.data.stop === 'length') return ['output_limit_reached']
	if (closing?.ok !== false) return []
	return [(JSON.parse(closing.result ?? '{}') as { code: string }).code]
}

/**
 * Time that earlier attempts were at work: each from its `run.started` to the last entry it committed, less what it waited
 * for people in between.
 */
function usedMs(journal: readonly Entry[]): number {
	let used = 0
	let begun = 0
	for (const [i, { type, at }] of journal.entries()) {
		if (type === 'run.started' || journal[i - 1]?.type === 'run.waiting') begun = at
		const next = journal[i + 1]
		if (!next || next.type === 'run.started' || type === 'run.waiting') used += at - begun
	}
	return used
}
