/**
 * What is taken away before any code of the owner runs: memory that the isolate's limit does not count (WebAssembly,
 * shared buffers; resizable ones in buffers.ts), real time and threads (Atomics, WeakRef, FinalizationRegistry: the
 * collector's moment would differ in a replay). What is added is in clock.ts, random.ts, console.ts and url.ts and their neighbours.
 */
const REMOVED = ['WebAssembly', 'SharedArrayBuffer', 'Atomics', 'WeakRef', 'FinalizationRegistry'] as const

const { defineProperty, deleteProperty } = Reflect

/** In every new context: V8 puts some of these back when it makes one from a snapshot. */
export function removeGlobals(): void {
	for (const name of REMOVED) deleteProperty(globalThis, name)
}

/** Like a built-in: writable, configurable, not enumerable. */
export function define(target: object, name: PropertyKey, value: unknown): void {
	defineProperty(target, name, { value, writable: true, enumerable: false, configurable: true })
}
