import { sharedNow } from '../../../runtime/lib/clock.ts'
import type { Entry } from '../../../runtime/wire/journal.ts'
import type { RunBegin } from '../../../runtime/wire/runtime-calls.ts'
import type { Sql } from '../../db/index.ts'
import { hasBudget } from '../../deployments/index.ts'
import { Problem } from '../../http/errors.ts'
import type { RunParts } from '../parts.ts'
import { createAhead } from './ahead.ts'
import { openFeed } from './feed.ts'
import { readRun } from './read.ts'
import { runStore } from './store.ts'
import { Fenced, type LiveRun, type RunEnd, type RunEngine, type RunRecord } from './types.ts'
import { lookAfterWaiting, parkRun } from './waiting.ts'
import { journalWriter, runEnder } from './write.ts'

const retryAfterSeconds = '1'

export function createRunEngine(parts: RunParts): RunEngine {
	const live = new Map<string, LiveRun>()
	const feed = openFeed(parts.sql)
	const inFlight = () => live.size
	const store = runStore(parts, { inFlight })
	const ahead = createAhead(inFlight)
	const writeEntries = journalWriter(parts.sql, { inFlight })
	const writeEnd = runEnder(parts.sql, { inFlight })
	const parting = new Set<() => void>()
	let parted = false
	let closed = false

	function send(run: LiveRun, journal: Entry[], go: boolean, modelAhead = false): void {
		run.begunAt = performance.now()
		run.heldAt = null
		follow(run, journal)
		parts.deployments.put(run.deployment)
		parts.runtime.notify('run.begin', beginOf(run, journal, go, modelAhead))
		if (run.cancelReason) parts.runtime.notify('run.cancel', { run: run.id, reason: run.cancelReason })
	}

	function follow(run: LiveRun, journal: Entry[]): void {
		if (!parts.traces) return
		run.trace = parts.traces.ofRun(run)
		run.trace.recall(journal)
	}

	/** One write of a run after the other. One that is fenced is the last: the run is another host's. */
	async function write<T>(run: LiveRun, work: () => Promise<T>): Promise<T> {
		const done = run.writing.then(work)
		run.writing = done.catch(() => undefined)
		try {
			return await done
		} catch (error) {
			if (error instanceof Fenced) leave(run, null)
			throw error
		}
	}

	function leave(run: LiveRun, record: RunRecord | null): void {
		if (live.get(run.id) === run) live.delete(run.id)
		run.settle(record)
	}

	function own(id: string, epoch: number): LiveRun {
		const run = live.get(id)
		if (!run || run.epoch !== epoch) throw new Fenced(id)
		return run
	}

	function tell(run: LiveRun, entries: Entry[]): void {
		run.trace?.take(entries)
		feed.publish(run.id, entries)
		if (!run.watched) return
		feed
			.tell('entries', run.id)
			.catch((error) => parts.log.warn({ err: error, run: run.id }, 'a hint was not sent'))
	}

	async function commit(run: LiveRun, entries: Entry[]): Promise<void> {
		if (entries.length === 0) return
		noteStart(run, entries)
		const last = entries.at(-1)
		const held = last?.data.held === true
		noteHeld(run, held)
		if (last?.type === 'run.waiting') return park(run, entries, held)
		await write(run, () => writeEntries({ run, entries }))
		tell(run, entries)
	}

	/** From here on it is nobody's, until somebody has decided what it waits for; one that is held stays here. */
	async function park(run: LiveRun, entries: Entry[], held: boolean): Promise<void> {
		const deliveries = await write(run, () => parkRun(parts.sql, parts.id, run, entries))
		if (!held) leave(run, null)
		tell(run, entries)
		if (deliveries > 0) parts.webhooks.wake()
		await lookAfterWaiting(engine)
	}

	async function finish(run: LiveRun, end: RunEnd): Promise<void> {
		noteStart(run, end.entries)
		const record = recordOfEnd(run, end)
		const { url, place } = run.deployment
		const ending = { end, record, url, place }
		const deliveries = await write(run, async () => {
			try {
				return await writeEnd(ending)
			} catch (error) {
				// The answer to the same statement may have been lost: then it is ours, and all is done.
				if (!(error instanceof Fenced) || !(await isWritten(parts.sql, record))) throw error
				return 1
			}
		})
		const { status, error, deployment } = record
		parts.log.debug({ run: run.id, deployment, status, code: error?.code }, 'a run has ended')
		leave(run, record)
		count(end, record)
		tell(run, end.entries)
		run.trace?.end({ ...end, completedAt: record.completed_at ?? sharedNow() })
		if (deliveries > 0) parts.webhooks.wake()
	}

	function count({ usage }: RunEnd, record: RunRecord): void {
		const { deployment, status, error, created_at, started_at, completed_at } = record
		const seconds = ((completed_at ?? created_at) - created_at) / 1000
		const queuedSeconds = started_at === null ? seconds : (started_at - created_at) / 1000
		const tokens = { input: usage.input_tokens, output: usage.output_tokens }
		const code = error?.code ?? ''
		parts.alerts.runEnded(deployment, status)
		parts.metrics.runEnded({ deployment, status, code, seconds, queuedSeconds, tokens })
	}

	const engine: RunEngine = {
		parts,
		feed,
		live,
		requireRoom() {
			const full = parts.disk.refusal()
			if (full) throw full
			if (!closed && live.size < parts.config.MAX_CONCURRENT_RUNS) return
			const detail = closed
				? 'This host is being shut down.'
				: 'This host has as many runs in flight as it may have.'
			throw new Problem('overloaded', detail, { headers: { 'retry-after': retryAfterSeconds } })
		},
		room: () => (closed ? 0 : parts.config.MAX_CONCURRENT_RUNS - live.size),
		async begin(run, rev, idempotency) {
			// Once more, as the run is counted: of calls that waited together for one key, all looked before the first counted.
			engine.requireRoom()
			live.set(run.id, run)
			// The sandbox is made ready during the insert, but for a run that may turn out to be there already.
			const early = idempotency === null
			if (early) send(run, [], false, ahead.mayAsk(run))
			try {
				run.stored = await store({ run, rev, idempotency })
			} finally {
				ahead.note(run)
				if (!run.stored) {
					leave(run, null)
					parts.runtime.notify('run.drop', { run: run.id })
				}
			}
			if (!run.stored) return false
			if (!early) send(run, [], true)
			parts.runtime.notify('run.go', { run: run.id })
			return true
		},
		resume(run, journal) {
			live.set(run.id, run)
			noteStart(run, journal)
			send(run, journal, run.stored)
		},
		lose(run) {
			leave(run, null)
			parts.runtime.notify('run.drop', { run: run.id })
		},
		cancel(run, reason) {
			run.cancelReason ??= reason
			parts.runtime.notify('run.cancel', { run: run.id, reason })
		},
		async endByHand(run, journal, end) {
			follow(run, journal)
			await finish(run, end).finally(() => leave(run, null))
		},
		calls: {
			'run.commit': async ({ run, epoch, entries }) => {
				await commit(own(run, epoch), entries)
				return {}
			},
			'run.end': async (end) => {
				await finish(own(end.run, end.epoch), end)
				return {}
			},
		},
		close() {
			closed = true
		},
		part() {
			parted = true
			for (const tell of [...parting]) tell()
			parting.clear()
		},
		onPart(tell) {
			if (parted) setImmediate(tell)
			else parting.add(tell)
			return () => parting.delete(tell)
		},
		isParted: () => parted,
	}
	return engine
}

function beginOf(run: LiveRun, journal: Entry[], go: boolean, modelAhead: boolean): RunBegin {
	return {
		run: run.id,
		deployment: run.deployment.id,
		account: run.deployment.accountId,
		digest: run.digest,
		version: run.version,
		epoch: run.epoch,
		attempt: run.attempt,
		inputs: run.inputs,
		seed: run.seed,
		...(run.prelude && { prelude: run.prelude }),
		...(run.depth && { depth: run.depth }),
		...(run.allowance && { allowance: run.allowance }),
		...(run.trace && { traceparent: run.trace.traceparent }),
		created_at: run.createdAt,
		stream: run.stream,
		journal,
		go,
		...(modelAhead && { model_ahead: true }),
		...(hasBudget(run.deployment, run.lineage) && { budget: true }),
	}
}

function noteStart(run: LiveRun, entries: Entry[]): void {
	run.startedAt ??= entries.find(({ type }) => type === 'run.started')?.at ?? null
}

/** What it waits for people is not its time. */
function noteHeld(run: LiveRun, held: boolean): void {
	const now = performance.now()
	if (run.heldAt !== null && !held) run.begunAt += now - run.heldAt
	run.heldAt = held ? (run.heldAt ?? now) : null
}

function recordOfEnd(run: LiveRun, { entries, outcome, usage }: RunEnd): RunRecord {
	return {
		id: run.id,
		deployment: run.deployment.id,
		version: run.version,
		lineage: run.lineage,
		status: outcome.status,
		inputs: run.inputs,
		output: outcome.status === 'succeeded' ? outcome.output : null,
		citations: (outcome.status === 'succeeded' && outcome.citations) || null,
		// Postgres has no text with a NUL.
		error:
			outcome.status === 'succeeded'
				? null
				: { code: outcome.error.code, message: outcome.error.message.replaceAll('\0', '') },
		usage: JSON.stringify(usage),
		created_at: run.createdAt,
		started_at: run.startedAt,
		completed_at: entries.at(-1)?.at ?? sharedNow(),
		kept_days: run.deployment.keptDays,
	}
}

async function isWritten(sql: Sql, record: RunRecord): Promise<boolean> {
	const stored = await readRun(sql, { deployment: record.deployment, lineage: undefined }, record.id)
	return stored?.status === record.status && stored.completed_at === record.completed_at
}
