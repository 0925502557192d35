/**
 * What is taken away before any code of the owner runs: memory that the isolate's limit does not count (WebAssembly,
 * resizable and shared buffers), real time and threads (Atomics, WeakRef, FinalizationRegistry: the collector's moment
 * would differ in a replay). What is added is in clock.ts, random.ts, console.ts and url.ts and their neighbours.
 */
const REMOVED = ['WebAssembly', 'SharedArrayBuffer', 'Atomics', 'WeakRef', 'FinalizationRegistry'] as const

const { construct, defineProperty, deleteProperty } = Reflect

/** In every new context: V8 puts some of these back when it makes one from a snapshot. */
export function removeGlobals(): void {
	for (const name of REMOVED) deleteProperty(globalThis, name)
}

export function fixBuffers(): void {
	define(globalThis, 'ArrayBuffer', fixedLengthBuffers(ArrayBuffer))
	for (const name of ['resize', 'resizable', 'maxByteLength']) deleteProperty(ArrayBuffer.prototype, name)
}

/** Like a built-in: writable, configurable, not enumerable. */
export function define(target: object, name: PropertyKey, value: unknown): void {
	defineProperty(target, name, { value, writable: true, enumerable: false, configurable: true })
}

/** ArrayBuffer whose options never reach V8. Every way to the constructor (prototype, subclass, construct) leads here. */
function fixedLengthBuffers(Original: typeof ArrayBuffer): unknown {
	function Wrapped(this: unknown, length: number) {
		if (!new.target) throw new TypeError("Constructor ArrayBuffer requires 'new'")
		return construct(Original, [length], new.target === (Wrapped as unknown) ? Original : new.target)
	}
	define(Wrapped, 'name', 'ArrayBuffer')
	defineProperty(Wrapped, 'prototype', { value: Original.prototype, writable: false })
	define(Wrapped, 'isView', Original.isView)
	defineProperty(Wrapped, Symbol.species, { get: () => Wrapped, configurable: true })
	define(Original.prototype, 'constructor', Wrapped)
	return Wrapped
}
