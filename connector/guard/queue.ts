import { messages, Refusal } from './messages.ts'

/** Calls the judge of this host has in hand: never more than the capacity, and of free accounts never more than their share. */
export interface Queue {
	/** Takes a place at once or throws the refusal; the answer gives it back (once, however often it is called). */
	enter(free: boolean, limits: { capacity: number; free_share: number }): () => void
	held(): { all: number; free: number }
}

export function openQueue(): Queue {
	let all = 0
	let ofFree = 0
	return {
		enter: (free, { capacity, free_share }) => {
			if (all >= capacity) throw new Refusal(messages.full)
			if (free && ofFree >= Math.floor(capacity * free_share)) throw new Refusal(messages.free_full)
			all++
			if (free) ofFree++
			let held = true
			return () => {
				if (!held) return
				held = false
				all--
				if (free) ofFree--
			}
		},
		held: () => ({ all, free: ofFree }),
	}
}
