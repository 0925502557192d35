/**
 * Runs of an agent without code share one isolate and one warm context: nothing of the owner's executes there
 * (runtime/guest/shared.ts). A run that is unusual, by its size or its CPU time, is handed back to be run by itself, and so
 * are all runs of an isolate that breaks: the runtime begins them again from their journals.
 */
import type { Isolate } from 'isolated-vm'
import type { Bundle, Entry, Isolates } from './isolates.ts'
import { isSendable, mark, type Start, type Turn } from './run.ts'

/** Of the clock for one turn, and of CPU time for a run. Usual turns take less than 0.1 ms. */
const TURN_MS = 1_000
const RUN_CPU_MS = 250
/** So short a turn was not interrupted, and the kernel need not be asked. */
const QUICK_MS = 1
const US_PER_MS = 1e3
/**
 * What the runs of an isolate may hold together, in characters of JSON; one run an eighth of it. JSON of empty objects
 * takes 19 bytes of heap a character, so two thirds of the limit stay for what a turn needs.
 */
const CHARS_PER_MB = 16 * 1024
const SHARE = 8
/** An isolate each. */
const MAX_CELLS = 256
/** Kept for the next run though nobody uses them; opening one takes 6 to 9 ms of CPU. */
const KEEP_IDLE = 16

interface Cell {
	readonly isolate: Isolate
	readonly entry: Entry
	readonly maxChars: number
	readonly runs: Map<number, SharedRun>
	chars: number
	broken: boolean
	/** It takes new runs. */
	current: boolean
	idleSince: number
}

interface SharedRun {
	readonly id: number
	readonly cell: Cell
	chars: number
	readonly maxMs: number
	usedMs: number
}

export interface Shared {
	/** Undefined where this run has code, or is to have a context of its own. */
	begin(start: Start): Turn | undefined
	/** Undefined where it is none of these runs. */
	deliver(id: number, n: number, ok: boolean, json: string): Turn | undefined
	stop(id: number): void
	/** No run of this bundle is to come. */
	forget(digest: string): void
	/** Throws away what has been idle for long, but for some. */
	trim(longIdleMs: number): void
}

/** The run is to begin again by itself. */
const ALONE: Turn = { items: '[0,"alone",""]', state: 'ended' }

export function openShared(isolates: Isolates): Shared {
	/** The one that takes new runs, by digest and memory. One that is half full takes no more, and goes with its last run. */
	const cells = new Map<string, Cell>()
	/** Guest programs of the release before know no sharing. */
	let possible = true
	const runs = new Map<number, SharedRun>()

	const cellFor = ({ digest, bundle, memoryMb }: Start): Cell | undefined => {
		const key = `${memoryMb} ${digest}`
		const known = cells.get(key)
		if (known && known.chars <= known.maxChars / 2) {
			// The last used is the last.
			cells.delete(key)
			cells.set(key, known)
			return known
		}
		if (!known && cells.size >= MAX_CELLS && !discardIdlest()) return undefined
		const made = open(isolates, bundle, memoryMb)
		if (made === 'impossible') possible = false
		if (typeof made === 'string') return undefined
		cells.set(key, made)
		if (known) {
			known.current = false
			disposeUnused(known)
		}
		return made
	}
	const leave = (run: SharedRun) => {
		const { cell } = run
		runs.delete(run.id)
		cell.runs.delete(run.id)
		cell.chars -= run.chars
		cell.idleSince = performance.now()
		disposeUnused(cell)
	}
	const disposeUnused = (cell: Cell) => {
		if (!cell.current && cell.runs.size === 0 && !cell.isolate.isDisposed) cell.isolate.dispose()
	}
	const breakCell = (cell: Cell) => {
		cell.broken = true
		for (const [key, one] of cells) if (one === cell) cells.delete(key)
		if (!cell.isolate.isDisposed) cell.isolate.dispose()
	}
	const discardIdlest = (): boolean => {
		for (const cell of cells.values()) {
			if (cell.runs.size > 0) continue
			breakCell(cell)
			return true
		}
		return false
	}
	const alone = (run: SharedRun): Turn => {
		if (!run.cell.broken) call(run.cell, 'forget', run.id)
		leave(run)
		return ALONE
	}
	const call = (cell: Cell, ...args: unknown[]): string | undefined => {
		try {
			const answer: unknown = cell.entry.applySync(undefined, args as [string], { timeout: TURN_MS })
			if (typeof answer === 'string' && !cell.isolate.isDisposed) return answer
		} catch {}
		// Cut off, out of memory, or an error that our own program lets out: none of it leaves a context to be trusted.
		breakCell(cell)
		return undefined
	}
	/** A turn of one run: what it holds and uses is counted to it. */
	const turn = (run: SharedRun, chars: number, ...args: unknown[]): Turn => {
		const { cell } = run
		if (!hold(run, run.chars + chars)) return alone(run)
		mark(run.id)
		const at = performance.now()
		const cpu = process.threadCpuUsage()
		const items = call(cell, ...args) === undefined ? undefined : call(cell, 'take', run.id)
		if (items === undefined) return alone(run)
		run.usedMs += tookMs(at, cpu)
		const over = items.startsWith('!')
		const text = over ? items.slice(1) : items
		if (text !== '' && !isSendable(text)) return alone(run)
		if (over) leave(run)
		// Its system prompt and whole conversation stand in what it sent.
		else if (run.usedMs > run.maxMs || !hold(run, Math.max(run.chars, text.length))) return alone(run)
		return { items: text, state: over ? 'ended' : 'going' }
	}

	return {
		begin(start) {
			const { bundle, inputs, id } = start
			if (bundle.scripts.length > 0 || start.alone) return undefined
			const cell = possible ? cellFor(start) : undefined
			if (!cell) return ALONE
			const run: SharedRun = { id, cell, chars: 0, maxMs: Math.min(start.cpuMs, RUN_CPU_MS), usedMs: 0 }
			runs.set(id, run)
			cell.runs.set(id, run)
			return turn(run, inputs.length, 'start', id, inputs)
		},
		deliver(id, n, ok, json) {
			const run = runs.get(id)
			if (!run) return undefined
			return run.cell.broken ? alone(run) : turn(run, json.length, 'answer', id, n, ok, json)
		},
		stop(id) {
			const run = runs.get(id)
			if (run) alone(run)
		},
		trim(longIdleMs) {
			const before = performance.now() - longIdleMs
			for (const cell of cells.values())
				if (cells.size > KEEP_IDLE && cell.runs.size === 0 && cell.idleSince < before) breakCell(cell)
		},
		forget(digest) {
			for (const [key, cell] of cells) if (key.endsWith(` ${digest}`)) breakCell(cell)
		},
	}
}

/** False where the run would hold more than its part, or all of them more than the isolate has. */
function hold(run: SharedRun, chars: number): boolean {
	const { cell } = run
	if (chars > cell.maxChars / SHARE || cell.chars - run.chars + chars > cell.maxChars) return false
	cell.chars += chars - run.chars
	run.chars = chars
	return true
}

function open(isolates: Isolates, bundle: Bundle, memoryMb: number): Cell | 'impossible' | 'too small' {
	let made: ReturnType<Isolates['bare']>
	try {
		made = isolates.bare(memoryMb)
	} catch {
		return 'too small'
	}
	const { isolate, entry } = made
	try {
		const answer: unknown = entry.applySync(undefined, ['share', bundle.agent], { timeout: TURN_MS })
		if (answer === 'shared') {
			const maxChars = memoryMb * CHARS_PER_MB
			const runs = new Map<number, SharedRun>()
			return { isolate, entry, maxChars, runs, chars: 0, broken: false, current: true, idleSince: 0 }
		}
	} catch {
		if (!isolate.isDisposed) isolate.dispose()
		return 'too small'
	}
	isolate.dispose()
	return 'impossible'
}

function tookMs(at: number, before: NodeJS.CpuUsage): number {
	const took = performance.now() - at
	if (took < QUICK_MS) return took
	const { user, system } = process.threadCpuUsage(before)
	return (user + system) / US_PER_MS
}
