import { once } from 'node:events'
import type { OutgoingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import type { Entry } from '../../../runtime/wire/journal.ts'
import { lookMs } from '../live/feed.ts'
import { readJournal, readRun } from '../live/read.ts'
import type { RunEngine } from '../live/types.ts'
import { eventJson, isShown } from '../live/view.ts'
import { isTerminal, within } from '../live/wait.ts'

/** A comment this often, so that no proxy takes a thinking model for a dead connection. */
const keepAliveMs = 15_000
/** Entries held for a reader who reads slower than they come; past it they are read from the journal again. */
const heldMax = 1000
/** A reader who takes nothing for so long is let go; it comes back with Last-Event-ID. */
const drainMs = 60_000
/** Whoever may not read any more is let go so soon. */
const letInMs = 1000

interface Streamed {
	deployment: string
	run: string
	/** Its owner reads, not a run key. */
	owner: boolean
	/** Whether the reader would be let in again. */
	letIn: () => Promise<boolean>
	/** The last event the reader has. */
	after: number
	/** Headers of the answer beside those of the stream. */
	headers: Record<string, string>
}

/**
 * The run's events from `after` on, until its end: the same ones whenever, and on whichever host, they are read, since
 * they are the journal (spec event.order).
 */
export async function streamRun(engine: RunEngine, reply: FastifyReply, streamed: Streamed): Promise<void> {
	const { raw } = reply.hijack()
	raw.writeHead(200, {
		...(reply.getHeaders() as OutgoingHttpHeaders),
		...streamed.headers,
		'content-type': 'text/event-stream; charset=utf-8',
		'cache-control': 'no-store, no-transform',
		'x-accel-buffering': 'no',
	})
	if (reply.request.method === 'HEAD') return void raw.end()
	raw.write(': the events of a run\n\n')
	const reader = follow(engine, streamed.run)
	const closed = new AbortController()
	const stop = () => {
		closed.abort()
		reader.stop()
	}
	raw.on('close', stop)
	untilShutOut(streamed.letIn, closed.signal).then(stop)
	try {
		await write(engine, reader, streamed, raw, closed.signal)
	} catch (error) {
		// Nothing can be said any more: the reader comes back with Last-Event-ID.
		if (!closed.signal.aborted)
			engine.parts.log.error({ err: error, run: streamed.run }, 'a stream of events broke')
	} finally {
		stop()
		raw.end()
	}
}

async function untilShutOut(letIn: Streamed['letIn'], signal: AbortSignal): Promise<void> {
	do await sleep(letInMs, undefined, { signal, ref: false }).catch(() => undefined)
	while (!signal.aborted && (await letIn()))
}

async function write(
	engine: RunEngine,
	reader: Reader,
	{ deployment, run, owner, after }: Streamed,
	raw: NodeJS.WritableStream,
	signal: AbortSignal,
): Promise<void> {
	let seq = after
	let spokeAt = performance.now()
	let fromJournal = true
	while (!signal.aborted) {
		const news = reader.take()
		const direct = !fromJournal && news !== null && (news[0] === undefined || news[0].seq <= seq + 1)
		const ended = direct ? false : await hasEnded(engine, deployment, run)
		const entries = (direct ? news : await readJournal(engine.parts.sql, run, seq)).filter(
			(entry) => entry.seq > seq,
		)
		fromJournal = false
		if (entries.length > 0) {
			seq = entries.at(-1)!.seq
			spokeAt = performance.now()
			const text = entries
				.filter(isShown)
				.map((entry) => frame(run, entry, owner))
				.join('')
			if (text !== '' && !raw.write(text)) await drained(raw, signal)
			if (entries.some(isLast)) return
			continue
		}
		// Ended, and nothing is left: somebody came back for what he has already.
		if (ended) return
		if (performance.now() - spokeAt >= keepAliveMs) {
			raw.write(': alive\n\n')
			spokeAt = performance.now()
		}
		// Of a run of this host everything is heard here; only the comment is to be in time.
		fromJournal = !(await reader.more(engine.live.has(run) ? keepAliveMs : lookMs))
	}
}

async function drained(raw: NodeJS.WritableStream, signal: AbortSignal): Promise<void> {
	await once(raw, 'drain', { signal: AbortSignal.any([signal, AbortSignal.timeout(drainMs)]) })
}

const frame = (run: string, entry: Entry, owner: boolean) =>
	`id: ${entry.seq}\nevent: ${entry.type}\ndata: ${eventJson(run, entry, owner)}\n\n`

const isLast = ({ type }: Entry) =>
	type === 'run.completed' || type === 'run.failed' || type === 'run.cancelled'

async function hasEnded(engine: RunEngine, deployment: string, run: string): Promise<boolean> {
	if (engine.live.has(run)) return false
	const record = await readRun(engine.parts.sql, { deployment, lineage: undefined }, run)
	return !record || isTerminal(record)
}

interface Reader {
	/** Entries since the last take; null: look into the journal. */
	take(): Entry[] | null
	/** False: nothing was heard for `ms`. */
	more(ms: number): Promise<boolean>
	stop(): void
}

/** Hears of a run's entries, and has its owner record model deltas as long as somebody reads. */
function follow(engine: RunEngine, run: string): Reader {
	let held: Entry[] | null = []
	let heard = Promise.withResolvers<true>()
	const unsubscribe = engine.feed.subscribe(run, (entries) => {
		held = entries === null || held === null || held.length > heldMax ? null : [...held, ...entries]
		heard.resolve(true)
	})
	watch(engine, run)
	return {
		take() {
			const taken = held
			held = []
			heard = Promise.withResolvers<true>()
			return taken
		},
		async more(ms) {
			return (await within(ms, heard.promise)) ?? false
		},
		stop() {
			unsubscribe()
			heard.resolve(true)
		},
	}
}

function watch(engine: RunEngine, run: string): void {
	const live = engine.live.get(run)
	if (!live) {
		engine.feed
			.tell('watch', run)
			.catch((error) => engine.parts.log.warn({ err: error, run }, 'a hint was not sent'))
	} else if (!live.stream) {
		live.stream = true
		engine.parts.runtime.notify('run.watch', { run })
	}
}
