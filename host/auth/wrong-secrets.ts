import { Problem } from '../http/errors.ts'

/** After as many different wrong secrets for one id within the window, more are refused unhashed. */
const wrongPerId = 10
const windowMs = 10_000
const idsMax = 10_000

export interface WrongSecrets {
	/** True: this very secret was wrong a moment ago. Throws `rate_limited` after too many others for the id. */
	has(id: string, digest: string): boolean
	add(id: string, digest: string): void
}

export function wrongSecrets(): WrongSecrets {
	const wrong = new Map<string, { digests: Set<string>; until: number }>()
	const read = (id: string) => {
		const found = wrong.get(id)
		if (found && found.until > performance.now()) return found
		wrong.delete(id)
		return undefined
	}
	return {
		has: (id, digest) => {
			const found = read(id)
			if (!found) return false
			if (found.digests.has(digest)) return true
			if (found.digests.size < wrongPerId) return false
			throw new Problem('rate_limited', 'Too many wrong secrets for this id.', {
				headers: { 'retry-after': String(windowMs / 1000) },
			})
		},
		add: (id, digest) => {
			const found = read(id) ?? { digests: new Set<string>(), until: performance.now() + windowMs }
			if (wrong.size >= idsMax) wrong.delete(wrong.keys().next().value as string)
			found.digests.add(digest)
			wrong.set(id, found)
		},
	}
}
