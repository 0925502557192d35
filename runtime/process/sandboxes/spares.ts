/** Processes that are ready and belong to nobody yet, so that a deployment's first run need not wait for one. */
import type { SandboxProcess } from './process.ts'

const RETRY_MS = 5_000

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
	#retry: NodeJS.Timeout | undefined
	#closed = false

	constructor(options: SparesOptions, first: SandboxProcess) {
		this.#options = options
		this.#keep(first)
		// It is ready anyway, and most hosts run something soon.
		if (options.warmSpares === 0)
			setTimeout(() => this.#remove(first) && void first.kill(), options.idleStopMs).unref()
		this.#fill()
	}

	take(): SandboxProcess | undefined {
		// Starting one takes a moment of this process, which the run that takes the spare need not wait for.
		setImmediate(() => this.#fill())
		return this.#ready.shift()
	}

	list(): readonly SandboxProcess[] {
		return this.#ready
	}

	async close(): Promise<void> {
		this.#closed = true
		clearTimeout(this.#retry)
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
			this.#fillLater()
		}
	}

	#keep(process: SandboxProcess): void {
		this.#ready.push(process)
		process.events = {
			onFrame: () => void process.kill(),
			onExit: () => {
				if (this.#remove(process)) this.#fillLater()
			},
		}
	}

	/** Whether it was there. */
	#remove(process: SandboxProcess): boolean {
		const at = this.#ready.indexOf(process)
		if (at !== -1) this.#ready.splice(at, 1)
		return at !== -1
	}

	#fillLater(): void {
		clearTimeout(this.#retry)
		if (!this.#closed) this.#retry = setTimeout(() => this.#fill(), RETRY_MS).unref()
	}
}
