import * as argon2 from 'argon2'
import pLimit from 'p-limit'
import { Problem } from '../http/errors.ts'

// argon2 is made to be dear, so at most two run at a time and a bounded number waits: a flood of bad passwords must not
// take the machine from the runs.

const limit = pLimit(2)
const waitingMax = 64
/** Passwords: OWASP's parameters. */
const passwordCost = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const
/** Bearer secrets are 256 random bits: no guessing is slowed by more, and a first use answers sooner. */
const secretCost = { type: argon2.argon2id, memoryCost: 4_096, timeCost: 1, parallelism: 1 } as const

async function limited<T>(work: () => Promise<T>): Promise<T> {
	if (limit.pendingCount >= waitingMax)
		throw new Problem('overloaded', 'Too many sign-ins at once.', { headers: { 'retry-after': '1' } })
	return limit(work)
}

export const hashPassword = (password: string) => limited(() => argon2.hash(password, passwordCost))
export const hashSecret = (secret: string) => limited(() => argon2.hash(secret, secretCost))
export const matches = (hash: string, text: string) => limited(() => argon2.verify(hash, text))

let decoy: Promise<string> | null = null
/** Costs what a real comparison costs, so that an answer's time does not tell whether the account exists. */
export async function matchesNothing(password: string): Promise<false> {
	decoy ??= hashPassword('decoy')
	await matches(await decoy, password)
	return false
}
