/**
 * Buffers lie outside V8's heap. The isolate's limit refuses one too many with an error, which the program could catch
 * and go on with, or a tool's failure hide; here such a refusal ends the run, as it does for all other memory.
 */
import { define } from './globals.ts'

const { construct, apply, getPrototypeOf, deleteProperty } = Reflect
const NativeBuffer = ArrayBuffer
const NativeRangeError = RangeError

const REFUSAL = 'Array buffer allocation failed'
/** More than any limit: such a length is a mistake, and stays an error that the program can handle. */
const ABSURD_BYTES = 2 ** 32
/** The allocator ends the isolate where it has not even so much left. */
const LAST_BYTES = 64
const FIRST_BYTES = 2 ** 30

const VIEWS = [
	...['Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Float16Array'],
	...['Int32Array', 'Uint32Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array'],
]
/** What makes buffers and asks no constructor. */
const BUFFER_METHODS = ['transfer', 'transferToFixedLength']
const VIEW_METHODS = ['toReversed', 'toSorted', 'with']

type Constructor = new (...args: never[]) => object

export function fixBuffers(): void {
	const anyView = getPrototypeOf(Uint8Array.prototype) as object
	for (const name of VIEWS) {
		const View = (globalThis as Record<string, unknown>)[name] as Constructor | undefined
		if (View) replace(name, View, guardedView(View))
	}
	replace('ArrayBuffer', NativeBuffer, fixedLengthBuffers())
	for (const name of ['resize', 'resizable', 'maxByteLength']) deleteProperty(NativeBuffer.prototype, name)
	for (const name of BUFFER_METHODS) guardMethod(NativeBuffer.prototype, name)
	for (const name of VIEW_METHODS) guardMethod(anyView, name)
}

/** Every way to the constructor (prototype, subclass, construct) leads to the new one. */
function replace(name: string, Original: Constructor, replacement: unknown): void {
	define(globalThis, name, replacement)
	define(Original.prototype, 'constructor', replacement)
}

/** ArrayBuffer whose options never reach V8. */
function fixedLengthBuffers(): unknown {
	function Wrapped(this: unknown, length: number) {
		if (!new.target) throw new TypeError("Constructor ArrayBuffer requires 'new'")
		const target = new.target === (Wrapped as unknown) ? NativeBuffer : new.target
		try {
			return construct(NativeBuffer, [length], target)
		} catch (error) {
			throw judged(error, length)
		}
	}
	define(Wrapped, 'name', 'ArrayBuffer')
	Reflect.defineProperty(Wrapped, 'prototype', { value: NativeBuffer.prototype, writable: false })
	define(Wrapped, 'isView', NativeBuffer.isView)
	Reflect.defineProperty(Wrapped, Symbol.species, { get: () => Wrapped, configurable: true })
	return Wrapped
}

function guardedView(View: Constructor): unknown {
	const guarded: unknown = new Proxy(View, {
		__proto__: null,
		construct(_: unknown, args: never[], target: Constructor) {
			try {
				return construct(View, args, target === guarded ? View : target)
			} catch (error) {
				throw judged(error, args[0])
			}
		},
	} as ProxyHandler<Constructor>)
	return guarded
}

function guardMethod(prototype: object, name: string): void {
	const method = (prototype as Record<string, unknown>)[name] as (...args: unknown[]) => unknown
	const guarded = new Proxy(method, {
		__proto__: null,
		apply(_: unknown, self: unknown, args: unknown[]) {
			try {
				return apply(method, self, args)
			} catch (error) {
				throw judged(error, args[0])
			}
		},
	} as ProxyHandler<typeof method>)
	define(prototype, name, guarded)
}

/** The error, where it is not one of memory. `length`: what was asked for, where it is a number. */
function judged(error: unknown, length: unknown): unknown {
	if (!(error instanceof NativeRangeError) || error.message !== REFUSAL) return error
	if (typeof length === 'number' && length >= ABSURD_BYTES) return error
	return exhaust()
}

/** Takes what is left, in ever smaller parts and without touching it, until the allocator ends the isolate. */
function exhaust(): never {
	let held: unknown
	for (let bytes = FIRST_BYTES; ; ) {
		try {
			held = { held, buffer: construct(NativeBuffer, [bytes]) }
		} catch {
			bytes = bytes > LAST_BYTES * 16 ? bytes / 16 : LAST_BYTES
		}
	}
}
