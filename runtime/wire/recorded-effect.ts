import { hash } from 'node:crypto'
import type { Effects } from './effects.ts'
import type { Decision } from './host-calls.ts'
import type { Entry } from './journal.ts'

export type Method = keyof Effects
/**
 * One effect of a run: what the guest asked for under a number. It outlives the guest: a sandbox that is lost is
 * replaced, the program runs again, and asks for the same under the same number.
 *
 * `recorded`: known from the journal, without a result · `held`: asked for, not yet begun · `running` · `closed`.
 */
export interface Effect {
	readonly n: number
	readonly digest: string
	method: Method
	/** JSON text of the arguments; dropped when the effect is closed. */
	args: string
	/** Of an error it tells of, as the guest sent it; dropped with the arguments. */
	stack: string | undefined
	state: 'recorded' | 'held' | 'running' | 'closed'
	/** How often it was begun; more than 1 after a crash. */
	attempt: number
	/** Its first entry, where it has one of its own. */
	opening: Entry | undefined
	/** What people are asked about it, in that order. */
	requests: Asked[]
	/** What the guest gets, where its entry has a stand-in for the bytes of a file; dropped once it is delivered. */
	content?: string | undefined
	/** Where it is answered: the entry with what the guest gets. */
	closing: Entry | undefined
}

export interface Asked {
	/** `approval.requested`. */
	entry: Entry
	decision: Decision | undefined
}

/** What replay compares: the guest, run again, must ask for exactly the same. */
export function digestOf(method: string, args: string): string {
	return `sha256:${hash('sha256', `${method}\n${args}`)}`
}

/** The effects a journal tells of, and those of them that are answered, in the order the guest got the answers. */
export function effectsOf(journal: readonly Entry[]): { effects: Effect[]; closings: Effect[] } {
	const effects: Effect[] = []
	const closings: Effect[] = []
	for (const entry of journal) {
		if (entry.effect === undefined) continue
		let effect = effects[entry.effect]
		if (!effect) {
			if (entry.digest === undefined) continue
			effect = {
				n: entry.effect,
				digest: entry.digest,
				method: 'log',
				args: '',
				stack: undefined,
				state: 'recorded',
				attempt: 0,
				requests: [],
				opening: undefined,
				closing: undefined,
			}
			effects[entry.effect] = effect
		}
		if (entry.digest !== undefined) {
			effect.opening = entry
			// Asking is no beginning: what was asked for and never begun is begun for the first time.
			if (entry.type !== 'approval.requested') effect.attempt++
		}
		if (entry.type === 'approval.requested') effect.requests.push({ entry, decision: undefined })
		if (entry.type === 'approval.decided') decide(effect, entry.data)
		if (entry.ok !== undefined) {
			effect.closing = entry
			effect.state = 'closed'
			closings.push(effect)
		} else if (entry.type === 'log' || entry.type === 'effect.started' || entry.type === 'tool.completed') {
			// Nothing is delivered for it; that it is written down is its end.
			effect.state = 'closed'
		}
	}
	return { effects, closings }
}

function decide({ requests }: Effect, { id, decision, note, content }: Entry['data']): void {
	const asked = requests.find(({ entry }) => entry.data.id === id)
	if (!asked) return
	asked.decision = {
		approved: decision === 'approve',
		note: note as string | null,
		content: (content ?? null) as Decision['content'],
	}
}
