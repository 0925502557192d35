/** Processes that are ready and belong to nobody yet, so that a deployment's first run need not wait for one. */
import type { SandboxProcess } from './process.ts'

const RETRY_MS = 5_000
/** A start takes 0.07 s of CPU, for which neither the host's own start nor the run that took a spare should wait. */
const FILL_MS = 1_000

export interface SparesOptions {
	start(): Promise<SandboxProcess>
	warmSpares: number
	idleStopMs: number
	onError(error: unknown): void
}

export class Spares {
	readonly #options: SparesOptions
	readonly #ready: SandboxProcess[] = []
	readonly #starting = new Set<Promise<void>>()
	#later: NodeJS.Timeout | undefined
	#closed = false

	constructor(options: SparesOptions, first: SandboxProcess) {
		this.#options = options
		this.#keep(first)
		// It is ready anyway, and most hosts run something soon.
		if (options.warmSpares === 0)
			setTimeout(() => this.#remove(first) && void first.kill(), options.idleStopMs).unref()
		this.#fillLater(FILL_MS)
	}

	take(): SandboxProcess | undefined {
		this.#fillLater(FILL_MS)
		return this.#ready.shift()
	}

	list(): readonly SandboxProcess[] {
		return this.#ready
	}

	async close(): Promise<void> {
		this.#closed = true
		clearTimeout(this.#later)
		await Promise.all([...this.#starting, ...this.#ready.map((process) => process.kill())])
	}

	#fill(): void {
		while (!this.#closed && this.#ready.length + this.#starting.size < this.#options.warmSpares) {
			const one = this.#startOne().finally(() => this.#starting.delete(one))
			this.#starting.add(one)
		}
	}

	async #startOne(): Promise<void> {
		try {
			const process = await this.#options.start()
			if (this.#closed) await process.kill()
			else this.#keep(process)
		} catch (error) {
			this.#options.onError(error)
			this.#fillLater(RETRY_MS)
		}
	}

	#keep(process: SandboxProcess): void {
		this.#ready.push(process)
		process.events = {
			onFrame: () => void process.kill(),
			onExit: () => {
				if (this.#remove(process)) this.#fillLater(RETRY_MS)
			},
		}
	}

	/** Whether it was there. */
	#remove(process: SandboxProcess): boolean {
		const at = this.#ready.indexOf(process)
		if (at !== -1) this.#ready.splice(at, 1)
		return at !== -1
	}

	#fillLater(ms: number): void {
		if (this.#closed || this.#later) return
		const fill = () => {
			this.#later = undefined
			this.#fill()
		}
		this.#later = setTimeout(fill, ms).unref()
	}
}
