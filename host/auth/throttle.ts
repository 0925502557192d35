import { isIPv6 } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Problem } from '../http/errors.ts'

// Guessing is slowed by where it comes from: an address, and an address at one account, may fail so often in a window.
// A try that is under way counts as failed until it has ended, so that asking at once gains nothing.
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

/** Called once. `unjudged`: it was neither right nor wrong, and counts no more. */
export type EndTry = (outcome: 'failed' | 'succeeded' | 'unjudged') => void

export interface Throttle {
	/** Seconds until another try is heard; or, after what wait there is, how to end this one. */
	begin(email: string, address: string): Promise<number | EndTry>
}

export function signInThrottle(): Throttle {
	const failures = new Map<string, Failures>()
	const underWay = new Map<string, number>()
	const read = (name: string): Failures | null => {
		const found = failures.get(name)
		if (found && found.until > performance.now()) return found
		failures.delete(name)
		return null
	}
	const fail = (name: string) => {
		const found = read(name)
		if (found) found.count++
		else {
			if (failures.size >= trackedMax) failures.delete(failures.keys().next().value as string)
			failures.set(name, { count: 1, until: performance.now() + windowMs })
		}
	}
	const tries = (name: string) => (read(name)?.count ?? 0) + (underWay.get(name) ?? 0)
	const enter = (name: string) => underWay.set(name, (underWay.get(name) ?? 0) + 1)
	const leave = (name: string) => {
		const left = (underWay.get(name) ?? 1) - 1
		if (left > 0) underWay.set(name, left)
		else underWay.delete(name)
	}
	return {
		begin: async (email, address) => {
			const { account, from, pair } = namesOf(email, address)
			for (const [name, max] of [
				[from, perAddress],
				[pair, perPair],
			] as const)
				if (tries(name) >= max) return secondsLeft(read(name), max)
			const tried = tries(account) - calmFailures
			const names = [account, from, pair]
			names.forEach(enter)
			if (tried > 0) await delay(Math.min(tried * delayStepMs, delayMaxMs))
			return (outcome) => {
				names.forEach(leave)
				if (outcome === 'failed') names.forEach(fail)
				if (outcome === 'succeeded') for (const name of [account, pair]) failures.delete(name)
			}
		},
	}
}

/** What to answer instead of another try. */
export function throttled(seconds: number, what = 'failed sign-ins'): Problem {
	return new Problem('rate_limited', `Too many ${what}. Wait ${seconds} s, then try again.`, {
		headers: { 'retry-after': String(seconds) },
	})
}

/** Those under way have ended in a moment. */
function secondsLeft(failed: Failures | null, max: number): number {
	if (!failed || failed.count < max) return 1
	return Math.max(1, Math.ceil((failed.until - performance.now()) / 1000))
}

function namesOf(email: string, address: string) {
	const from = networkOf(address)
	const who = email.toLowerCase()
	return { account: `@${who}`, from, pair: `${from} ${who}` }
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
