/** For the calls under way, and who waits for one of them to end. */
export interface Held {
	calls: number
	tokens: number
	usd: number
	waiting: (() => void)[]
}

export const nothingHeld = (): Held => ({ calls: 0, tokens: 0, usd: 0, waiting: [] })

/** Returns how it is let go again. */
export function hold(held: Held, tokens: number, usd: number): () => void {
	held.calls++
	held.tokens += tokens
	held.usd += usd
	return () => {
		held.calls--
		held.tokens -= tokens
		held.usd = held.calls === 0 ? 0 : held.usd - usd
		for (const look of held.waiting.splice(0)) look()
	}
}
