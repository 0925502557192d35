/** A person has given up: Ctrl-C, or the end of what is typed. Exit code 130, as shells expect of it. */
export class Interrupted extends Error {
	constructor(message = 'stopped') {
		super(message)
	}
}

/** npm hands a Ctrl-C on that the terminal has sent already. */
const sameRequestMs = 1000

export interface Interrupts {
	/** The work, or `Interrupted` from the first signal on, even from one that came before. */
	race<T>(work: Promise<T>): Promise<T>
	/** Signals do again what they always do. */
	close(): void
}

/** From now on a signal stops what is raced, so that its caller can clean up. A later one ends the process. */
export function watchInterrupts(): Interrupts {
	const { promise, reject } = Promise.withResolvers<never>()
	promise.catch(() => {})
	let first: number | undefined
	const onSignal = () => {
		if (first !== undefined && performance.now() - first > sameRequestMs) process.exit(130)
		first ??= performance.now()
		reject(new Interrupted())
	}
	const signals = ['SIGINT', 'SIGTERM'] as const
	for (const signal of signals) process.on(signal, onSignal)
	return {
		race: (work) => Promise.race([promise, work]),
		close: () => {
			for (const signal of signals) process.off(signal, onSignal)
		},
	}
}
