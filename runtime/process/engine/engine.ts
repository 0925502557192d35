/** All runs of this host: where they begin, are told to go, cancelled, and watched over. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Effect } from '../../wire/recorded-effect.ts'
import type { RunBegin, RuntimeCalls } from '../../wire/runtime-calls.ts'
import { decided } from './approval.ts'
import { armDeadline, createRun, prepare } from './begin.ts'
import { type BundleCache, createBundleCache } from './bundle-cache.ts'
import { flushDeltas } from './deltas.ts'
import { abandon, fail, finish, writeEnd } from './end.ts'
import { RunAbandoned } from './failure.ts'
import { offersOf } from './offers.ts'
import { goOn, hold, onlyWaits, park } from './park.ts'
import { replayRun } from './replay.ts'
import type { Run } from './run.ts'
import type { Services } from './services.ts'
import { pump } from './settle.ts'

/** One clock for all deadlines and late commits. */
const TICK_MS = 50
/** For what another host can do again without harm, and for the journal, when the host stops. */
const HANDOVER_MS = 5_000
const HANDOVER_POLL_MS = 20

export interface Engine {
	readonly bundles: BundleCache
	begin(begin: RunBegin): void
	go(run: string): void
	drop(run: string): void
	cancel(run: string, reason: string): void
	watch(run: string): void
	/** There is a decision for one of its approvals. */
	decided(run: string): void
	/** Ends the deployment's runs as cancelled and its sandboxes; forgets its bundle. */
	dropDeployment(deployment: string): Promise<void>
	runs(): number
	/** What a bundle's connectors offer now. */
	offers(a: { deployment: string; digest: string }): Promise<ReturnType<RuntimeCalls['tools.offered']>>
	/** An ended run again, from its journal. */
	replay(a: Parameters<RuntimeCalls['run.replay']>[0]): Promise<ReturnType<RuntimeCalls['run.replay']>>
	/**
	 * Takes no more runs, and waits for those under way. The rest begins no more effects: each is left to the journal when
	 * its own have ended, calls of tools after `toolsMs` at the latest. Idempotent.
	 */
	close(graceMs: number, toolsMs?: number): Promise<void>
}

export function createEngine(services: Services): Engine {
	const bundles = createBundleCache(services.host, services.ceilings)
	const runs = new Map<string, Run>()
	/** By deployment: the bundle of its newest run, forgotten with it. */
	const digests = new Map<string, string>()
	let ticker: NodeJS.Timeout | undefined
	let closing = false

	const tick = () => {
		const now = services.now()
		for (const run of runs.values()) if (run.goneAt > 0 && !run.over) watchOver(run, now)
	}
	const add = (run: Run) => {
		runs.set(run.begin.run, run)
		ticker ??= setInterval(tick, TICK_MS)
		void run.finished.promise.then(() => {
			if (runs.get(run.begin.run) === run) runs.delete(run.begin.run)
			if (runs.size > 0) return
			clearInterval(ticker)
			ticker = undefined
		})
	}
	return {
		bundles,
		begin(begin) {
			const before = runs.get(begin.run)
			if (closing || (before && before.begin.epoch >= begin.epoch)) return
			if (before) abandon(before, new RunAbandoned('the run was begun again'))
			const run = createRun(services, bundles, begin)
			add(run)
			digests.set(begin.deployment, begin.digest)
			if (begin.go) go(run)
			const held = bundles.held(begin.digest)
			if (held) prepare(run, held)
			else
				bundles.load(begin.digest).then(
					(bundle) => prepare(run, bundle),
					(error: unknown) => fail(run, 'agent_error', (error as Error).message),
				)
		},
		go: (id) => withRun(id, go),
		drop: (id) => withRun(id, (run) => abandon(run, new RunAbandoned('the run was not accepted'))),
		cancel: (id, reason) => withRun(id, (run) => cancel(run, reason)),
		watch: (id) => withRun(id, watch),
		decided: (id) => withRun(id, decided),
		async dropDeployment(deployment) {
			for (const run of runs.values()) {
				if (run.begin.deployment === deployment) cancel(run, 'the deployment was stopped')
			}
			const digest = digests.get(deployment)
			if (digest !== undefined && digests.delete(deployment)) bundles.forget(digest)
			await services.sandboxes.drop(deployment)
		},
		runs: () => runs.size,
		offers: (args) => offersOf(services, bundles, args),
		replay: (args) => replayRun(services, bundles, args),
		async close(graceMs, toolsMs = HANDOVER_MS) {
			closing = true
			await within(graceMs, Promise.all([...runs.values()].map((run) => run.finished.promise)))
			await Promise.all([...runs.values()].map((run) => handOver(run, toolsMs)))
		},
	}

	function withRun(id: string, act: (run: Run) => void): void {
		const run = runs.get(id)
		if (run) act(run)
	}
}

function go(run: Run): void {
	if (run.goneAt > 0) return
	run.goneAt = run.services.now()
	if (run.outcome) return void writeEnd(run)
	armDeadline(run)
	pump(run)
}

function watch(run: Run): void {
	run.watched = true
}

function cancel(run: Run, reason: string): void {
	finish(run, {
		status: 'cancelled',
		error: { code: 'cancelled', message: `The run was cancelled: ${reason}.` },
	})
}

function watchOver(run: Run, now: number): void {
	const waits = onlyWaits(run, now)
	if (!waits) goOn(run, now)
	if (run.heldSince === undefined && now >= run.deadline) return void outOfTime(run)
	if (waits && [...run.pending.values()].some(({ open }) => open)) hold(run, now)
	else if (waits) return void park(run)
	flushDeltas(run)
	run.recorder.flushIfDue(run.watched)
}

function outOfTime(run: Run): void {
	const { guest, closings, bundle } = run
	if (guest.delivered < closings.length) {
		return void fail(
			run,
			'replay_diverged',
			'Run again, the program never asked for what it asked for before.',
		)
	}
	fail(
		run,
		'time_limit_reached',
		`The run took over ${bundle.agent.limits.seconds} seconds (limits.seconds).`,
	)
}

/** Lets what is under way finish and writes it down, so that another host goes on from there. */
async function handOver(run: Run, toolsMs: number): Promise<void> {
	const from = performance.now()
	run.handedOver = true
	for (const wait of run.retrying) wait.abort()
	const left = () => (callsTool(run) ? toolsMs : Math.min(HANDOVER_MS, toolsMs)) - (performance.now() - from)
	while (run.running.size > 0 && !run.over && left() > 0) await sleep(HANDOVER_POLL_MS)
	if (run.over) return
	if (run.goneAt > 0) await within(HANDOVER_MS, run.recorder.barrier())
	abandon(run, new RunAbandoned('the host stops'))
	run.services.host.notify('run.left', { run: run.begin.run, epoch: run.begin.epoch })
}

/** Whether something of it changes the world, and is not made again. What waits for a person meanwhile can take for ever. */
const callsTool = ({ running, pending }: Run) =>
	[...running].some((effect) => outside.has(effect.method) && !pending.get(effect)?.open)

const outside = new Set<Effect['method']>(['tool.call', 'http'])

/** Until the work is done or has failed, and not for longer. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
	const bound = new AbortController()
	const timeout = sleep(ms, undefined, { signal: bound.signal })
	await Promise.race([work, timeout]).catch(() => undefined)
	bound.abort()
	await timeout.catch(() => undefined)
}
