/** At once from one address, and then one each so many seconds. */
const burst = 60
const refillMs = 6_000
const addressesMax = 50_000

/** Seconds until a call from this address is heard; 0: now, and it counts. On each host. */
export type Pace = (address: string) => number

export function openPace(networkOf: (address: string) => string): Pace {
	const now = () => performance.now()
	/** When the address's next calls are due: each adds `refillMs`. Those that were due longest ago come first. */
	const due = new Map<string, number>()
	return (address) => {
		const network = networkOf(address)
		const from = Math.max(due.get(network) ?? 0, now())
		const early = from + refillMs - now() - burst * refillMs
		if (early > 0) return Math.ceil(early / 1000)
		due.delete(network)
		if (due.size >= addressesMax) due.delete(due.keys().next().value as string)
		due.set(network, from + refillMs)
		return 0
	}
}
