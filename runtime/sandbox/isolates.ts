/**
 * Isolates and their contexts, for runs of agents with code. One isolate serves one run at a time, each run in a context
 * that no other has changed: one that is as it was serves again (runtime/guest/unchanged.ts). The next context is made
 * while nobody waits; an isolate is thrown away after some contexts and after any breach.
 */
import { readFileSync } from 'node:fs'
import type { Context, ExternalCopy, Isolate, Reference, Script } from 'isolated-vm'
import type { GuestScript } from '../wire/sandbox.ts'
import { ivm } from './ivm.ts'

/**
 * Used contexts stay in the heap, 0.25 MB each, until it is collected or thrown away whole; a fresh isolate costs 1 ms
 * of CPU. Few isolates have many contexts each, many have fewer: the process as a whole stays small.
 */
const MAX_CONTEXTS = 50
const MIN_CONTEXTS = 16
const CONTEXTS_OF_ALL = 800
/** Of a context: what it holds is looked at anew. */
const MAX_RUNS = 1_000
/** To remember what a context is made of takes ten times what a look at it takes, which an isolate that is not used again would not pay back. */
const REMEMBER_AFTER = 2
/** Contexts that runs of a bundle have changed, before none is remembered any more. */
const MAX_CHANGED = 5
const LOOK_MS = 1_000
/** Kept with a context ready for the next run; more than these only for as long as they were needed lately. */
const KEEP_IDLE = 1
export const LONG_IDLE_MS = 5_000
/** A run of less CPU has not filled a heap. */
const QUICK_MS = 5
const BYTES_PER_MB = 1024 * 1024

export interface Bundle {
	agent: string
	scripts: (GuestScript & { cache?: ExternalCopy<ArrayBuffer> })[]
	/** How many contexts its runs have changed. */
	changed: number
}

export interface Cell {
	readonly isolate: Isolate
	readonly key: string
	readonly bundle: Bundle
	readonly memoryMb: number
	readonly scripts: Script[]
	/** Takes the way in off the globals of a new context, before any other code runs there. */
	readonly opening: Script
	/** The context of the run it serves or will serve next. */
	room: Room | undefined
	contexts: number
	idleSince: number
}

interface Room {
	readonly context: Context
	/** The one way into it. */
	readonly entry: Entry
	/** It knows what it was made of. */
	remembers: boolean
	runs: number
	/** It has not been looked at since its last run. */
	used: boolean
}

export type Entry = Reference<(name: string, ...args: unknown[]) => string>

export interface Isolates {
	/** Throws what is wrong with a script that does not compile. `fresh`: in a context that has served no run. */
	take(digest: string, bundle: Bundle, memoryMb: number, fresh: boolean): Cell
	/** The cell served its run well, with so much CPU. Its next context is made on a later turn of the event loop. */
	give(cell: Cell, usedMs: number): void
	discard(cell: Cell): void
	/** An isolate with a context that is the caller's to keep and to throw away. */
	bare(memoryMb: number): { isolate: Isolate; entry: Entry }
	/** Throws away what has been idle for long, but for one; called from time to time, as nothing here has a clock. */
	trim(): void
}

export function openIsolates(guestFile: string): Isolates {
	const code = readFileSync(guestFile, 'utf8')
	const snapshot = ivm.Isolate.createSnapshot([{ code, filename: 'berth:prelude' }])
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
		return { isolate, key, bundle, memoryMb, scripts, opening, room: undefined, contexts: 0, idleSince: 0 }
	}
	const trim = () => {
		const now = performance.now()
		while (idle.length > KEEP_IDLE && now - idle[0]!.idleSince > LONG_IDLE_MS) discard(idle.shift()!)
	}
	const discard = ({ isolate }: Cell) => {
		cells -= 1
		if (!isolate.isDisposed) isolate.dispose()
	}
	/** False where the isolate has no room for another context, or has had too many: it is gone then. */
	const prepare = (cell: Cell, fresh = false): boolean => {
		try {
			const { room } = cell
			if (room && ((fresh && room.runs > 0) || (room.used && !servesAgain(cell, room)))) release(cell)
			if (cell.room) return true
			if (cell.contexts < maxContexts()) {
				cell.room = makeRoom(cell)
				if (++cell.contexts > REMEMBER_AFTER && cell.bundle.changed < MAX_CHANGED) remember(cell.room)
				return true
			}
		} catch {}
		discard(cell)
		return false
	}
	const keep = (cell: Cell) => {
		cell.idleSince = performance.now()
		idle.push(cell)
		setImmediate(() => {
			if (!idle.includes(cell) || prepare(cell)) return
			remove(idle, cell)
			// So that the next run need not wait for it. Its scripts have compiled before.
			if (idle.length === 0) keep(build(cell.key, cell.bundle, cell.memoryMb))
		})
	}
	const maxContexts = () => Math.max(MIN_CONTEXTS, Math.min(MAX_CONTEXTS, CONTEXTS_OF_ALL / cells))

	return {
		take(digest, bundle, memoryMb, fresh) {
			const key = `${memoryMb} ${digest}`
			for (;;) {
				// The newest, so that those that are not needed grow old.
				const known = idle.findLast((cell) => cell.key === key)
				if (known) remove(idle, known)
				const cell = known ?? build(key, bundle, memoryMb)
				if (prepare(cell, fresh)) return cell
				if (!known) throw new Error('limits.memory_mb leaves no room for the program.')
			}
		},
		give(cell, usedMs) {
			const { room } = cell
			if (room) {
				room.runs++
				room.used = true
			}
			if (usedMs > QUICK_MS && heapIsLarge(cell)) cell.contexts = MAX_CONTEXTS
			keep(cell)
		},
		discard,
		bare(memoryMb) {
			const isolate = new ivm.Isolate({ memoryLimit: memoryMb, snapshot })
			try {
				const { entry } = makeRoom({ isolate, opening: isolate.compileScriptSync(OPENING) })
				return { isolate, entry }
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
function makeRoom({ isolate, opening }: Pick<Cell, 'isolate' | 'opening'>): Room {
	const context = isolate.createContextSync()
	const entry = opening.runSync(context, { reference: true }) as unknown as Entry
	return { context, entry, remembers: false, runs: 0, used: false }
}

/** A guest program of the release before knows nothing of it. */
function remember(room: Room): void {
	room.remembers = room.entry.applySync(undefined, ['remember'], { timeout: LOOK_MS }) === 'remembered'
}

/** Looks at a context that a run has left. Throws where its isolate is gone. */
function servesAgain({ isolate, contexts, bundle }: Cell, room: Room): boolean {
	if (!room.remembers || room.runs >= MAX_RUNS || contexts >= MAX_CONTEXTS) return false
	let said: unknown
	try {
		said = room.entry.applySync(undefined, ['leave'], { timeout: LOOK_MS })
	} catch (error) {
		if (isolate.isDisposed) throw error
	}
	room.used = said !== 'unchanged'
	if (room.used) bundle.changed++
	return !room.used
}

function release(cell: Cell): void {
	cell.room?.entry.release()
	cell.room?.context.release()
	cell.room = undefined
}

function heapIsLarge({ isolate, memoryMb }: Cell): boolean {
	return isolate.getHeapStatisticsSync().used_heap_size > (memoryMb * BYTES_PER_MB) / 2
}

function remove(cells: Cell[], cell: Cell): void {
	const at = cells.indexOf(cell)
	if (at !== -1) cells.splice(at, 1)
}
