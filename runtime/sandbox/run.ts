/**
 * One run in its isolate. Each entry is timed, none is asynchronous: while the guest executes, this process does nothing
 * else, so whoever is marked as executing is at fault when the process hangs or dies.
 */
import { writeSync } from 'node:fs'
import { type EndKind, type FromChild, MARK_FD } from '../wire/sandbox.ts'
import type { Bundle, Cell, Isolates } from './isolates.ts'

const UNHANDLED_MS = 1_000
/** Of the clock for a turn, by what is left of its CPU time: a busy machine is given half as much again. */
const WALL_FACTOR = 1.5
const WALL_GRACE_MS = 50
/** So short a turn was not interrupted: what it took is what it used, and the kernel need not be asked. */
const QUICK_MS = 1
const MAX_OUTBOX_CHARS = 16 * 1024 * 1024
const MAX_MESSAGE_CHARS = 1_000
const MAX_STACK_CHARS = 4_000
const BOUNDARY = '<isolated-vm boundary>'
const US_PER_MS = 1e3

export interface GuestRun {
	readonly id: number
	readonly cell: Cell
	readonly cpuMs: number
	/** How often its turns were cut off before, for want of a processor. */
	readonly starved: number
	/** CPU time of the turns before. The isolate's own `cpuTime` goes on while the process stands still. */
	usedMs: number
	/** Its turn's beginning, by the clock and in CPU time of this thread. */
	turn: { at: number; cpu: NodeJS.CpuUsage }
}

/** What a turn has come to: JSON items with commas between. */
export interface Turn {
	items: string
	/** Goes on, ended in good order, or broke a limit: its isolate is not used again. */
	state: 'going' | 'ended' | 'breached'
}

export interface Start {
	id: number
	digest: string
	bundle: Bundle
	memoryMb: number
	cpuMs: number
	starved: number
	/** In a context of its own. */
	alone: boolean
	inputs: string
	seed: string
	at: number
}

export function begin(isolates: Isolates, start: Start): { run?: GuestRun; turn: Turn } {
	mark(start.id)
	let cell: Cell
	try {
		cell = isolates.take(start.digest, start.bundle, start.memoryMb)
	} catch (error) {
		return { turn: breached('agent', messageOf(error)) }
	}
	const run: GuestRun = {
		id: start.id,
		cell,
		cpuMs: start.cpuMs,
		starved: start.starved,
		usedMs: 0,
		turn: turnFrom(),
	}
	return { run, turn: guarded(run, () => evaluate(run, start)) }
}

/** The agent, its scripts, and then its program. */
function evaluate(run: GuestRun, start: Start): Turn {
	const { entry, context } = run.cell.room!
	const { agent } = start.bundle
	const first = execute(run, (timeout) =>
		entry.applySync(undefined, ['begin', agent, start.inputs, start.seed, start.at], { timeout }),
	)
	if (first) return first
	for (const script of run.cell.scripts) {
		const failure = execute(run, (timeout) => script.runSync(context, { timeout }), 'fails')
		if (failure) return failure
	}
	const last = execute(run, (timeout) => entry.applySync(undefined, ['go'], { timeout }))
	return last ?? drain(run)
}

export function deliver(run: GuestRun, n: number, ok: boolean, json: string, at: number): Turn {
	mark(run.id)
	return guarded(run, () => {
		const { entry } = run.cell.room!
		const act = (timeout: number) => entry.applySync(undefined, ['deliver', n, ok, json, at], { timeout })
		return execute(run, act) ?? drain(run)
	})
}

/** An isolate can be gone before it is entered: its collector found the memory limit passed. */
function guarded(run: GuestRun, act: () => Turn): Turn {
	run.turn = turnFrom()
	try {
		const turn = act()
		return turn.state === 'breached' && !run.cell.isolate.isDisposed ? withLeft(run, turn) : turn
	} catch (error) {
		return run.cell.isolate.isDisposed ? outOfMemory() : breached('agent', messageOf(error))
	} finally {
		run.usedMs += turnMs(run)
	}
}

const turnFrom = () => ({ at: performance.now(), cpu: process.threadCpuUsage() })

/** CPU time of the turn so far. */
function turnMs({ turn }: GuestRun): number {
	const took = performance.now() - turn.at
	if (took < QUICK_MS) return took
	const { user, system } = process.threadCpuUsage(turn.cpu)
	return (user + system) / US_PER_MS
}

function isOutOfCpu(run: GuestRun): boolean {
	const left = run.cpuMs - run.usedMs
	return performance.now() - run.turn.at > left && turnMs(run) > left
}

/**
 * Answers how the run ended in it, if it did. An error that comes out is a rejection that nothing handles, which may yet
 * be handled in a later turn, so it is only logged; where a script is evaluated it `fails` the run.
 */
function execute(
	run: GuestRun,
	act: (timeout: number) => void,
	onError: 'logs' | 'fails' = 'logs',
): Turn | undefined {
	const failed = timed(run, wallMs(run), act)
	if (!failed || 'turn' in failed) return failed?.turn
	if (onError === 'fails') return breached('agent', messageOf(failed.error), stackOf(failed.error))
	const { entry } = run.cell.room!
	const tell = (timeout: number) =>
		entry.applySync(undefined, ['unhandled', messageOf(failed.error), stackOf(failed.error)], { timeout })
	const again = timed(run, UNHANDLED_MS, tell)
	return again && ('turn' in again ? again.turn : breached('agent', messageOf(again.error)))
}

/** Of the clock, as that is what can be set. Doubled twice each time it was too little. */
function wallMs({ cpuMs, usedMs, starved }: GuestRun): number {
	return Math.ceil(WALL_FACTOR * 4 ** starved * Math.max(1, cpuMs - usedMs)) + WALL_GRACE_MS
}

/** Nothing where it went well. A turn that was cut off without having had its CPU time is not the run's fault. */
function timed(
	run: GuestRun,
	timeout: number,
	act: (timeout: number) => void,
): { turn: Turn } | { error: unknown } | undefined {
	const startedAt = performance.now()
	let failed: { error: unknown } | undefined
	try {
		act(timeout)
	} catch (error) {
		failed = { error }
	}
	if (failed && run.cell.isolate.isDisposed) return { turn: outOfMemory() }
	if (isOutOfCpu(run)) return { turn: outOfCpu(run, stackOf(failed?.error)) }
	const cut = failed && performance.now() - startedAt >= timeout
	if (!failed || !cut) return failed
	const text = 'The machine did not give the program its time.'
	return { turn: breached('starved', text, stackOf(failed.error)) }
}

/** Before the end, what the program had sent: its log most of all. */
function withLeft(run: GuestRun, { items, state }: Turn): Turn {
	const sent: unknown = run.cell.room!.entry.applySync(undefined, ['left'])
	return typeof sent === 'string' && isSendable(sent)
		? { items: `${sent},${items}`, state }
		: { items, state }
}

function drain(run: GuestRun): Turn {
	const { isolate, room } = run.cell
	let items: string
	try {
		items = room!.entry.applySync(undefined, ['drain'])
	} catch (error) {
		return isolate.isDisposed ? outOfMemory() : breached('agent', messageOf(error))
	}
	if (typeof items !== 'string') return breached('agent', 'The program broke the way its effects are sent.')
	if (!isSendable(items) && items !== '') return breached('agent', 'The program sent too much at once.')
	return items.startsWith('!') ? { items: items.slice(1), state: 'ended' } : { items, state: 'going' }
}

/** One line, or it would be two frames, and the second could speak for another run. */
export function isSendable(items: string): boolean {
	return items !== '' && items.length <= MAX_OUTBOX_CHARS && !items.includes('\n')
}

/** `stack`: where it was cut off. */
function outOfCpu({ cpuMs }: GuestRun, stack: string): Turn {
	return breached('cpu', `The program used up its ${cpuMs} ms of CPU time.`, stack)
}

function outOfMemory(): Turn {
	return breached('memory', 'The program used more memory than limits.memory_mb allows.')
}

function breached(kind: EndKind, text: string, stack = ''): Turn {
	const end: FromChild = stack === '' ? [0, kind, text] : [0, kind, text, stack]
	return { items: JSON.stringify(end), state: 'breached' }
}

function messageOf(error: unknown): string {
	const message =
		error instanceof Error ? error.message : typeof error === 'string' ? error : 'an object was thrown'
	return message.slice(0, MAX_MESSAGE_CHARS).toWellFormed()
}

/** Its frames in the isolate: those of this process follow the boundary. */
function stackOf(error: unknown): string {
	const stack = error instanceof Error ? String(error.stack) : ''
	const frames = stack.slice(0, MAX_STACK_CHARS).split('\n')
	const boundary = frames.findIndex((line) => line.includes(BOUNDARY))
	if (boundary === -1) return ''
	const own = frames.slice(0, boundary).filter((line) => !line.includes('berth:prelude'))
	return own.join('\n').toWellFormed()
}

const marked = Buffer.alloc(4)
let markedId = 0

/** The mark of runtime/wire/sandbox.ts: it survives this process, and the runtime reads it when there is no answer. */
export function mark(id: number): void {
	if (id === markedId) return
	markedId = id
	marked.writeInt32LE(id)
	writeSync(MARK_FD, marked, 0, 4, 0)
}
