import { isIPv6 } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

// Guessing is slowed by where it comes from: an address, and an address at one account, may fail so often in a window.
// An account tried from many addresses is answered later and later, never locked: a stranger must not be able to keep
// its owner out. Counted on each host.

const windowMs = 600_000
const perAddress = 30
const perPair = 6
const calmFailures = 20
const delayStepMs = 100
const delayMaxMs = 3_000
const trackedMax = 50_000

interface Failures {
	count: number
	until: number
}

export interface Throttle {
	/** Seconds until another try is heard, or null after what wait there is. */
	before(email: string, address: string): Promise<number | null>
	failed(email: string, address: string): void
	succeeded(email: string, address: string): void
}

export function signInThrottle(): Throttle {
	const failures = new Map<string, Failures>()
	const names = (email: string, address: string) => {
		const from = networkOf(address)
		const who = email.toLowerCase()
		return { account: `@${who}`, address: from, pair: `${from} ${who}` }
	}
	const read = (name: string): Failures | null => {
		const found = failures.get(name)
		if (found && found.until > performance.now()) return found
		failures.delete(name)
		return null
	}
	const add = (name: string) => {
		const found = read(name)
		if (found) found.count++
		else {
			if (failures.size >= trackedMax) failures.delete(failures.keys().next().value as string)
			failures.set(name, { count: 1, until: performance.now() + windowMs })
		}
	}
	return {
		before: async (email, address) => {
			const { account, address: from, pair } = names(email, address)
			for (const [name, max] of [
				[from, perAddress],
				[pair, perPair],
			] as const) {
				const found = read(name)
				if (found && found.count >= max) return Math.ceil((found.until - performance.now()) / 1000)
			}
			const tried = (read(account)?.count ?? 0) - calmFailures
			if (tried > 0) await delay(Math.min(tried * delayStepMs, delayMaxMs))
			return null
		},
		failed: (email, address) => {
			for (const name of Object.values(names(email, address))) add(name)
		},
		succeeded: (email, address) => {
			const { account, pair } = names(email, address)
			failures.delete(account)
			failures.delete(pair)
		},
	}
}

/** One customer of a provider has at least a /64. */
export function networkOf(address: string): string {
	if (!isIPv6(address) || address.startsWith('::ffff:')) return address
	const [head = '', tail = ''] = address.split('::')
	const groups = head.split(':').filter(Boolean)
	if (address.includes('::')) {
		const end = tail.split(':').filter(Boolean)
		while (groups.length + end.length < 8) groups.push('0')
	}
	return groups.slice(0, 4).join(':')
}
