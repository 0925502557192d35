/** Work of many owners: one piece of each at a time, and so many at once of all. */
export type Turns = <T>(owner: string, work: () => Promise<T>) => Promise<T>

export function createTurns(width: number): Turns {
	const last = new Map<string, Promise<unknown>>()
	const waiting: (() => void)[] = []
	let inside = 0
	const enter = () => {
		if (inside++ < width) return undefined
		return new Promise<void>((resolve) => waiting.push(resolve))
	}
	const leave = () => {
		inside--
		waiting.shift()?.()
	}
	return (owner, work) => {
		const own = (last.get(owner) ?? Promise.resolve()).then(async () => {
			await enter()
			try {
				return await work()
			} finally {
				leave()
			}
		})
		const settled = own.then(
			() => undefined,
			() => undefined,
		)
		last.set(owner, settled)
		void settled.then(() => last.get(owner) === settled && last.delete(owner))
		return own
	}
}
