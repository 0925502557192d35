/** What stands in the isolate beside the language itself. There are no timers, no `fetch`, no files. */

interface Console {
	debug(...values: unknown[]): void
	trace(...values: unknown[]): void
	log(...values: unknown[]): void
	info(...values: unknown[]): void
	dir(...values: unknown[]): void
	dirxml(...values: unknown[]): void
	table(...values: unknown[]): void
	warn(...values: unknown[]): void
	error(...values: unknown[]): void
	group(...values: unknown[]): void
	groupCollapsed(...values: unknown[]): void
	groupEnd(): void
	clear(): void
	assert(holds?: unknown, ...values: unknown[]): void
	count(label?: string): void
	countReset(label?: string): void
	time(label?: string): void
	timeLog(label?: string, ...values: unknown[]): void
	timeEnd(label?: string): void
}
/** Lines of the run's log. */
declare var console: Console

/** The run's own clock: it stands still between two answers. */
declare var performance: { now(): number; readonly timeOrigin: number }
/** Drawn from the run's seed, so that a replay draws the same. */
declare var crypto: { getRandomValues<T extends ArrayBufferView>(view: T): T; randomUUID(): string }
declare function structuredClone<T>(value: T): T
declare function queueMicrotask(run: () => void): void
declare function btoa(text: string): string
declare function atob(text: string): string

declare class TextEncoder {
	readonly encoding: 'utf-8'
	encode(text?: string): Uint8Array
}
declare class TextDecoder {
	readonly encoding: 'utf-8'
	readonly fatal: boolean
	constructor(label?: string, options?: { fatal?: boolean })
	decode(bytes?: ArrayBufferView | ArrayBuffer): string
}

declare class AbortSignal {
	readonly aborted: boolean
	readonly reason: unknown
	onabort: ((event: { type: 'abort' }) => void) | null
	static abort(reason?: unknown): AbortSignal
	static any(signals: Iterable<AbortSignal>): AbortSignal
	throwIfAborted(): void
	addEventListener(type: 'abort', listener: (event: { type: 'abort' }) => void): void
	removeEventListener(type: 'abort', listener: (event: { type: 'abort' }) => void): void
}
declare class AbortController {
	readonly signal: AbortSignal
	abort(reason?: unknown): void
}

declare class URLSearchParams {
	constructor(init?: string | Record<string, string> | Iterable<readonly [string, string]>)
	readonly size: number
	append(name: string, value: string): void
	delete(name: string): void
	get(name: string): string | null
	getAll(name: string): string[]
	has(name: string): boolean
	set(name: string, value: string): void
	sort(): void
	forEach(run: (value: string, name: string) => void): void
	entries(): IterableIterator<[string, string]>
	keys(): IterableIterator<string>
	values(): IterableIterator<string>
	[Symbol.iterator](): IterableIterator<[string, string]>
	toString(): string
}
declare class URL {
	constructor(url: string | URL, base?: string | URL)
	static canParse(url: string | URL, base?: string | URL): boolean
	protocol: string
	username: string
	password: string
	hostname: string
	port: string
	pathname: string
	hash: string
	readonly host: string
	readonly origin: string
	readonly search: string
	readonly searchParams: URLSearchParams
	readonly href: string
	toString(): string
	toJSON(): string
}

/** Files of text that a program imports. */
declare module '*.md' {
	const text: string
	export default text
}
declare module '*.txt' {
	const text: string
	export default text
}
