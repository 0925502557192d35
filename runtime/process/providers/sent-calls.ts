/**
 * Tool calls of earlier answers as they go back. A model invents names, and some servers give one id to several calls: a
 * provider answers 400 to these, and the model would not hear what was wrong (spec provider.calls-sent-back).
 */

/** What an interface takes. Rules of ids are those of the provider itself: a compatible server gets back what it gave. */
export interface CallRules {
	nameMax: number
	idMax?: number
	/** Whether an id is of letters, digits, `_` and `-` alone. */
	plainIds?: true
}

export interface SentCalls {
	/** In the order of the conversation, since a doubled id is told apart by it. */
	made(id: string, name: string): { id: string; name: string }
	/** The id of the call that a result is for. */
	answered(id: string): string
}

const PLAIN = /^[a-zA-Z0-9_-]+$/
const OTHER = /[^a-zA-Z0-9_-]/gu

export function sentCalls(rules: CallRules, official: boolean): SentCalls {
	const { nameMax } = rules
	const { idMax = Number.POSITIVE_INFINITY, plainIds = false } = official ? rules : {}
	/** Ids that were sent, each with the number that its next double begins to look at. */
	const used = new Map<string, number>()
	/** Of the newest turn, by the id that the conversation has: ids without a result so far, and the last one. */
	const open = new Map<string, string[]>()
	let answering = false

	const fitting = (id: string) => {
		if (id === '') return 'call'
		const plain = plainIds && !PLAIN.test(id) ? id.replace(OTHER, '_') : id
		return plain.length > idMax ? plain.slice(0, idMax) : plain
	}
	/** The same for the same beginning of a conversation, so that the provider's cache still knows it. */
	const distinct = (id: string) => {
		let sent = id
		for (let n = used.get(id) ?? 0; used.has(sent); n++) {
			const end = `_${n}`
			sent = id.slice(0, idMax - end.length) + end
			used.set(id, n + 1)
		}
		used.set(sent, 2)
		return sent
	}
	return {
		made(id, name) {
			if (answering) open.clear()
			answering = false
			const sent = distinct(fitting(id))
			const same = open.get(id)
			if (same) same.push(sent)
			else open.set(id, [sent])
			return { id: sent, name: fittingName(name, nameMax) }
		},
		answered(id) {
			answering = true
			const ids = open.get(id)
			return (ids && ids.length > 1 ? ids.shift() : ids?.[0]) ?? id
		},
	}
}

function fittingName(name: string, max: number): string {
	if (name.length <= max && PLAIN.test(name)) return name
	return name.replace(OTHER, '_').slice(0, max) || 'unnamed'
}
