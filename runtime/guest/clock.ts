/** The guest's clock stands at the newest delivery, so that a replay reads the same times. There are no timers. */
import { define } from './globals.ts'

let now = 0
let start = 0

export function setClock(at: number): void {
	if (at > now) now = at
}

export function startClock(at: number): void {
	now = at
	start = at
}

export function installClock(): void {
	const Real = Date
	function PinnedDate(this: unknown, ...args: unknown[]): unknown {
		if (!new.target) return new Real(now).toString()
		const target: unknown = new.target === (PinnedDate as unknown) ? Real : new.target
		return Reflect.construct(Real, args.length === 0 ? [now] : args, target as never)
	}
	define(PinnedDate, 'name', 'Date')
	define(PinnedDate, 'length', 7)
	Reflect.defineProperty(PinnedDate, 'prototype', { value: Real.prototype, writable: false })
	define(PinnedDate, 'now', () => now)
	define(PinnedDate, 'parse', Real.parse)
	define(PinnedDate, 'UTC', Real.UTC)
	define(Real.prototype, 'constructor', PinnedDate)
	define(globalThis, 'Date', PinnedDate)
	define(globalThis, 'performance', { now: () => now - start, timeOrigin: 0 })
	pinFormats()
}

/** Formats without a date mean now: without this they would read the machine's clock. */
function pinFormats(): void {
	const proto = Intl.DateTimeFormat.prototype
	const format = Reflect.getOwnPropertyDescriptor(proto, 'format')?.get as () => (date: unknown) => string
	Reflect.defineProperty(proto, 'format', {
		get(this: Intl.DateTimeFormat) {
			const bound = Reflect.apply(format, this, [])
			return (date?: unknown) => bound(date === undefined ? now : date)
		},
		configurable: true,
	})
	const parts = proto.formatToParts
	define(proto, 'formatToParts', function (this: Intl.DateTimeFormat, date?: Date | number) {
		return Reflect.apply(parts, this, [date === undefined ? now : date])
	})
}
