import * as argon2 from 'argon2'
import pLimit from 'p-limit'
import { Problem } from '../http/errors.ts'

// argon2 is made to be dear, so at most two run at a time and a bounded number waits: a flood of bad passwords must not
// take the machine from the runs. Passwords have a queue of their own, of which one runs at a time: anybody may send
// them, and they must not turn keys and tokens away.

const waitingMax = 64
const running = pLimit(2)
const passwords = pLimit(1)
/** Passwords: OWASP's parameters. */
const passwordCost = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const
/** Bearer secrets are 256 random bits: no guessing is slowed by more, and a first use answers sooner. */
const secretCost = { type: argon2.argon2id, memoryCost: 4_096, timeCost: 1, parallelism: 1 } as const

async function asPassword<T>(work: () => Promise<T>): Promise<T> {
	if (passwords.pendingCount >= waitingMax) throw overloaded('sign-ins')
	return passwords(() => running(work))
}

async function asSecret<T>(work: () => Promise<T>): Promise<T> {
	if (running.pendingCount >= waitingMax) throw overloaded('new keys and tokens')
	return running(work)
}

const overloaded = (what: string) =>
	new Problem('overloaded', `Too many ${what} at once. Try again in a second.`, {
		headers: { 'retry-after': '1' },
	})

export const hashPassword = (password: string) => asPassword(() => argon2.hash(password, passwordCost))
export const matchesPassword = (hash: string, password: string) =>
	asPassword(() => argon2.verify(hash, password))
export const hashSecret = (secret: string) => asSecret(() => argon2.hash(secret, secretCost))
export const matchesSecret = (hash: string, secret: string) => asSecret(() => argon2.verify(hash, secret))

let decoy: Promise<string> | null = null
/** Costs what a real comparison costs, so that an answer's time does not tell whether the account exists. */
export async function matchesNothing(password: string): Promise<false> {
	decoy ??= hashPassword('decoy').catch((error) => {
		decoy = null
		throw error
	})
	await matchesPassword(await decoy, password)
	return false
}
