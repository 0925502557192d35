/** For the calls under way, and who waits for one of them to end. */
export interface Held {
	calls: number
	tokens: number
	usd: number
	waiting: (() => void)[]
}

export const nothingHeld = (): Held => ({ calls: 0, tokens: 0, usd: 0, waiting: [] })
