/** Lets a bounded number through at a time, the others in order after them. */
export interface Gate {
	enter(): Promise<void> | undefined
	leave(): void
}

export function createGate(width: number): Gate {
	let inside = 0
	const waiting: (() => void)[] = []
	return {
		enter() {
			if (inside < width) {
				inside++
				return undefined
			}
			return new Promise((resolve) => waiting.push(resolve))
		},
		leave() {
			const next = waiting.shift()
			if (next) next()
			else inside--
		},
	}
}
