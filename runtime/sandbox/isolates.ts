/**
 * Isolates and their contexts, for runs of agents with code. One isolate serves one run at a time, each run in a context that no other has seen. The
 * next context is made while nobody waits; an isolate is thrown away after some runs and after any breach.
 */
import type { Context, ExternalCopy, Isolate, Reference, Script } from 'isolated-vm'
import type { GuestScript } from '../wire/sandbox.ts'
import { ivm } from './ivm.ts'
import { snapshotOf } from './snapshot.ts'

/**
 * Used contexts stay in the heap, 0.25 MB each, until it is collected or thrown away whole; a fresh isolate costs 1 ms
 * of CPU. Few isolates serve many runs each, many serve fewer: the process as a whole stays small.
 */
const MAX_RUNS = 50
const MIN_RUNS = 16
const RUNS_OF_ALL = 800
/** Kept with a context ready for the next run; more than these only for as long as they were needed lately. */
const KEEP_IDLE = 1
export const LONG_IDLE_MS = 5_000
/** A run of less CPU has not filled a heap. */
const QUICK_MS = 5
const BYTES_PER_MB = 1024 * 1024

export interface Bundle {
	agent: string
	scripts: (GuestScript & { cache?: ExternalCopy<ArrayBuffer> })[]
}

export interface Cell {
	readonly isolate: Isolate
	readonly key: string
	readonly bundle: Bundle
	readonly memoryMb: number
	readonly scripts: Script[]
	/** Takes the way in off the globals of a new context, before any other code runs there. */
	readonly opening: Script
	/** The context of the run it serves or will serve next, and the one way into it. */
	room: { context: Context; entry: Entry } | undefined
	runs: number
	idleSince: number
}

export type Entry = Reference<(name: string, ...args: unknown[]) => string>

export interface Isolates {
	/** Throws what is wrong with a script that does not compile. */
	take(digest: string, bundle: Bundle, memoryMb: number): Cell
	/** The cell served its run well, with so much CPU. Its next context is made on a later turn of the event loop. */
	give(cell: Cell, usedMs: number): void
	discard(cell: Cell): void
	/** An isolate with a context that is the caller's to keep and to throw away. */
	bare(memoryMb: number): { isolate: Isolate; entry: Entry }
	/** Throws away what has been idle for long, but for one; called from time to time, as nothing here has a clock. */
	trim(): void
}

export function openIsolates(guestFile: string): Isolates {
	const snapshot = snapshotOf(guestFile)
	const idle: Cell[] = []
	let cells = 0

	const build = (key: string, bundle: Bundle, memoryMb: number): Cell => {
		const isolate = new ivm.Isolate({ memoryLimit: memoryMb, snapshot })
		const opening = isolate.compileScriptSync(OPENING)
		const scripts: Script[] = []
		try {
			for (const script of bundle.scripts) scripts.push(compile(isolate, script))
		} catch (error) {
			isolate.dispose()
			throw error
		}
		cells += 1
		return { isolate, key, bundle, memoryMb, scripts, opening, room: undefined, runs: 0, idleSince: 0 }
	}
	const trim = () => {
		const now = performance.now()
		while (idle.length > KEEP_IDLE && now - idle[0]!.idleSince > LONG_IDLE_MS) discard(idle.shift()!)
	}
	const discard = ({ isolate }: Cell) => {
		cells -= 1
		if (!isolate.isDisposed) isolate.dispose()
	}
	/** False where the isolate has no room for another context: it is gone then. */
	const prepare = (cell: Cell): boolean => {
		try {
			cell.room ??= makeRoom(cell.isolate, cell.opening)
			return true
		} catch {
			discard(cell)
			return false
		}
	}
	const keep = (cell: Cell) => {
		cell.idleSince = performance.now()
		idle.push(cell)
		setImmediate(() => {
			if (!cell.room && !prepare(cell)) remove(idle, cell)
		})
	}
	/** An old isolate for a new one, where the next run would otherwise wait for it. */
	const replace = (old: Cell) => {
		discard(old)
		if (idle.length > 0) return
		// Its scripts have compiled before.
		setImmediate(() => keep(build(old.key, old.bundle, old.memoryMb)))
	}
	const maxRuns = () => Math.max(MIN_RUNS, Math.min(MAX_RUNS, RUNS_OF_ALL / cells))

	return {
		take(digest, bundle, memoryMb) {
			const key = `${memoryMb} ${digest}`
			for (;;) {
				// The newest, so that those that are not needed grow old.
				const known = idle.findLast((cell) => cell.key === key)
				if (known) remove(idle, known)
				const cell = known ?? build(key, bundle, memoryMb)
				if (!prepare(cell)) {
					if (!known) throw new Error('limits.memory_mb leaves no room for the program.')
					continue
				}
				cell.runs++
				return cell
			}
		},
		give(cell, usedMs) {
			cell.room?.entry.release()
			cell.room?.context.release()
			cell.room = undefined
			if (cell.runs >= maxRuns() || (usedMs > QUICK_MS && heapIsLarge(cell))) return replace(cell)
			keep(cell)
		},
		discard,
		bare(memoryMb) {
			const isolate = new ivm.Isolate({ memoryLimit: memoryMb, snapshot })
			try {
				return { isolate, ...makeRoom(isolate, isolate.compileScriptSync(OPENING)) }
			} catch (error) {
				if (!isolate.isDisposed) isolate.dispose()
				throw error
			}
		},
		trim,
	}
}

/** Compiled once an isolate; the code cache is this process's own and never leaves it. */
function compile(isolate: Isolate, script: Bundle['scripts'][number]): Script {
	const filename = `berth:${script.name}`
	if (script.cache) return isolate.compileScriptSync(script.code, { filename, cachedData: script.cache })
	const compiled = isolate.compileScriptSync(script.code, { filename, produceCachedData: true })
	const { cachedData } = compiled as { cachedData?: ExternalCopy<ArrayBuffer> }
	if (cachedData) script.cache = cachedData
	return compiled
}

const OPENING = '{ const entry = globalThis.__entry; delete globalThis.__entry; entry("open"); entry }'

/** A fresh context from the snapshot. */
function makeRoom(isolate: Isolate, opening: Script): NonNullable<Cell['room']> {
	const context = isolate.createContextSync()
	const entry = opening.runSync(context, { reference: true }) as unknown as Entry
	return { context, entry }
}

function heapIsLarge({ isolate, memoryMb }: Cell): boolean {
	return isolate.getHeapStatisticsSync().used_heap_size > (memoryMb * BYTES_PER_MB) / 2
}

function remove(cells: Cell[], cell: Cell): void {
	const at = cells.indexOf(cell)
	if (at !== -1) cells.splice(at, 1)
}
