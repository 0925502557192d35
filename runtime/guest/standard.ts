/** structuredClone, queueMicrotask and AbortController, as far as agents' programs use them. */
import { define } from './globals.ts'

export function installStandard(): void {
	define(globalThis, 'structuredClone', (value: unknown) => clone(value, new Map()))
	define(globalThis, 'queueMicrotask', (run: () => void) => void Promise.resolve().then(run))
	define(globalThis, 'AbortController', Controller)
	define(globalThis, 'AbortSignal', Signal)
}

function clone(value: unknown, seen: Map<object, unknown>): unknown {
	if (typeof value === 'function' || typeof value === 'symbol')
		throw new TypeError(`a ${typeof value} cannot be cloned`)
	if (typeof value !== 'object' || value === null) return value
	if (seen.has(value)) return seen.get(value)
	const keep = <T>(copy: T): T => {
		seen.set(value, copy)
		return copy
	}
	if (value instanceof Date) return keep(new Date(value.getTime()))
	if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags))
	if (value instanceof ArrayBuffer) return keep(value.slice(0))
	if (ArrayBuffer.isView(value)) {
		const View = value.constructor as new (
			buffer: ArrayBufferLike,
			offset: number,
			length?: number,
		) => unknown
		const length = value instanceof DataView ? value.byteLength : (value as Uint8Array).length
		return keep(new View(clone(value.buffer, seen) as ArrayBuffer, value.byteOffset, length))
	}
	if (value instanceof Map) {
		const copy = keep(new Map())
		for (const [key, item] of value) copy.set(clone(key, seen), clone(item, seen))
		return copy
	}
	if (value instanceof Set) {
		const copy = keep(new Set())
		for (const item of value) copy.add(clone(item, seen))
		return copy
	}
	if (value instanceof Error)
		return keep(Object.assign(new Error(value.message), { name: value.name, stack: value.stack }))
	const copy: Record<string, unknown> = keep(Array.isArray(value) ? (new Array(value.length) as never) : {})
	for (const key of Object.keys(value)) copy[key] = clone((value as Record<string, unknown>)[key], seen)
	return copy
}

type Listener = (event: { type: 'abort'; target: Signal }) => void

class Signal {
	aborted = false
	reason: unknown = undefined
	onabort: Listener | null = null
	#listeners = new Set<Listener>()

	static abort(reason?: unknown): Signal {
		const controller = new Controller()
		controller.abort(reason)
		return controller.signal
	}
	static any(signals: Iterable<Signal>): Signal {
		const controller = new Controller()
		for (const signal of signals) {
			if (signal.aborted) controller.abort(signal.reason)
			else signal.addEventListener('abort', () => controller.abort(signal.reason))
		}
		return controller.signal
	}
	throwIfAborted(): void {
		if (this.aborted) throw this.reason
	}
	addEventListener(type: string, listener: Listener): void {
		if (type === 'abort') this.#listeners.add(listener)
	}
	removeEventListener(_type: string, listener: Listener): void {
		this.#listeners.delete(listener)
	}
	/** Called by the controller alone. */
	fire(reason: unknown): void {
		if (this.aborted) return
		this.aborted = true
		this.reason = reason
		const event = { type: 'abort', target: this } as const
		this.onabort?.(event)
		for (const listener of this.#listeners) listener(event)
	}
}

export class Controller {
	readonly signal = new Signal()
	abort(
		reason: unknown = Object.assign(new Error('This operation was aborted'), { name: 'AbortError' }),
	): void {
		this.signal.fire(reason)
	}
}
