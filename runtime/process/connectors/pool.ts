/** Things that are opened once, shared while in use, and closed when nobody has used them for a while. */

export interface PoolKey {
	/** Closed together by `drop`. */
	group: string
	name: string
	/** A newer one makes the older superfluous: it is closed as soon as nobody uses it. */
	version: number
}

export interface Held<T> {
	value: Promise<T>
	/** It is broken: the next to ask opens a new one. */
	discard(): void
	release(): void
}

interface Entry<T> {
	key: PoolKey
	value: Promise<T>
	users: number
	usedAt: number
	discarded: boolean
}

const SWEEP_MS = 30_000

export class ConnectionPool<T extends { close(): Promise<void> }> {
	/** Those that may be given out, and those that are discarded but still in use. */
	readonly #current = new Map<string, Entry<T>>()
	readonly #entries = new Set<Entry<T>>()
	readonly #closing = new Set<Promise<void>>()
	readonly #sweeper: NodeJS.Timeout

	constructor({ idleMs }: { idleMs: number }) {
		const sweep = () => {
			const before = performance.now() - idleMs
			for (const entry of this.#entries) if (entry.users === 0 && entry.usedAt <= before) this.#discard(entry)
		}
		this.#sweeper = setInterval(sweep, Math.min(idleMs, SWEEP_MS)).unref()
	}

	hold(key: PoolKey, open: () => Promise<T>): Held<T> {
		const entry = this.#current.get(nameOf(key)) ?? this.#open(key, open)
		entry.users++
		return {
			value: entry.value,
			discard: () => this.#discard(entry),
			release: () => {
				entry.users--
				entry.usedAt = performance.now()
				if (entry.discarded) this.#discard(entry)
			},
		}
	}

	drop(group: string): void {
		for (const entry of this.#entries) if (entry.key.group === group) this.#discard(entry)
	}

	/** Waits for what is being closed; what is in use is closed under its users. Idempotent. */
	async close(): Promise<void> {
		clearInterval(this.#sweeper)
		for (const entry of this.#entries) {
			entry.users = 0
			this.#discard(entry)
		}
		await Promise.all(this.#closing)
	}

	#open(key: PoolKey, open: () => Promise<T>): Entry<T> {
		for (const other of this.#entries) {
			const { group, name, version } = other.key
			if (group === key.group && name === key.name && version < key.version) this.#discard(other)
		}
		const entry = { key, value: open(), users: 0, usedAt: performance.now(), discarded: false }
		this.#entries.add(entry)
		this.#current.set(nameOf(key), entry)
		// Whoever waits for it is told; the next to ask tries again.
		entry.value.catch(() => this.#discard(entry))
		return entry
	}

	#discard(entry: Entry<T>): void {
		entry.discarded = true
		if (this.#current.get(nameOf(entry.key)) === entry) this.#current.delete(nameOf(entry.key))
		if (entry.users > 0 || !this.#entries.delete(entry)) return
		const closed = entry.value.then((value) => value.close()).catch(() => {})
		this.#closing.add(closed)
		closed.finally(() => this.#closing.delete(closed))
	}
}

function nameOf({ group, name, version }: PoolKey): string {
	return `${group}\n${name}\n${version}`
}
