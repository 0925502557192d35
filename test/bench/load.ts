/** What a number of callers, each with one call under way at a time, saw. Times in milliseconds. */
export interface Load {
	calls: number
	seconds: number
	latencies: number[]
}

/** `callers` loops over `call` until `calls` are made or `seconds` are over; each is told its number. A call that fails ends the whole. */
export async function load(
	callers: number,
	calls: number,
	seconds: number,
	call: (n: number, caller: number) => Promise<void>,
): Promise<Load> {
	const latencies: number[] = []
	const start = performance.now()
	let next = 0
	await Promise.all(
		Array.from({ length: callers }, async (_, caller) => {
			while (next < calls && performance.now() - start < seconds * 1000) {
				const began = performance.now()
				await call(next++, caller)
				latencies.push(performance.now() - began)
			}
		}),
	)
	return { calls: latencies.length, seconds: (performance.now() - start) / 1000, latencies }
}

/** Several rounds of one thing as one. */
export function together(rounds: Load[]): Load {
	return {
		calls: rounds.reduce((sum, r) => sum + r.calls, 0),
		seconds: rounds.reduce((sum, r) => sum + r.seconds, 0),
		latencies: rounds.flatMap((r) => r.latencies),
	}
}

export function quantile(values: number[], q: number): number {
	const sorted = [...values].sort((a, b) => a - b)
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN
}
