/**
 * Tool calls of earlier answers as they go back. A model invents names, and some servers give one id to several calls: a
 * provider answers 400 to these, and the model would not hear what was wrong (spec provider.calls-sent-back).
 */
import { createHash } from 'node:crypto'
import { isOfficial } from '../../../bundles/index.ts'
import type { ModelRequest } from './types.ts'

/** What an interface takes. Rules of ids are those of the provider itself: a compatible server gets back what it gave. */
export interface CallRules {
	nameMax: number
	idMax?: number
	/** Whether an id is of letters, digits, `_` and `-` alone. */
	plainIds?: true
}

type Address = Pick<ModelRequest, 'provider' | 'base_url'>

/** Mistral takes no ids but those of its own form, and a conversation may have begun at another provider. */
const MISTRAL = 'mistral.ai'
const MISTRAL_ID = /^[a-zA-Z0-9]{9}$/

export interface SentCalls {
	/** In the order of the conversation, since a doubled id is told apart by it. */
	made(id: string, name: string): { id: string; name: string }
	/** The id of the call that a result is for. */
	answered(id: string): string
}

const PLAIN = /^[a-zA-Z0-9_-]+$/
const OTHER = /[^a-zA-Z0-9_-]/gu

export function sentCalls(rules: CallRules, address: Address): SentCalls {
	const { nameMax } = rules
	const { idMax = Number.POSITIVE_INFINITY, plainIds = false } = isOfficial(address) ? rules : {}
	const mistral = isMistral(address)
	/** Ids that were sent, each with the number that its next double begins with. */
	const used = new Map<string, number>()
	/** Of the newest turn, by the id that the conversation has: ids without a result so far, and the last one. */
	const open = new Map<string, string[]>()
	let answering = false

	const fitting = (id: string) => {
		if (id === '' || (mistral && !MISTRAL_ID.test(id))) return madeId(id, 0)
		const plain = plainIds && !PLAIN.test(id) ? id.replace(OTHER, '_') : id
		return plain.length > idMax ? plain.slice(0, idMax) : plain
	}
	/** The same for the same beginning of a conversation, so that the provider's cache still knows it. */
	const distinct = (id: string) => {
		let sent = id
		for (let n = used.get(id) ?? 0; used.has(sent); n++) {
			sent = madeId(id, n)
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

/** Nine letters and digits: the one form that every provider takes. */
function madeId(id: string, n: number): string {
	const digest = createHash('sha256').update(`${n} ${id}`).digest('base64')
	return digest.replace(/[^a-zA-Z0-9]/g, '').slice(0, 9)
}

function isMistral({ base_url }: Address): boolean {
	if (!base_url?.toLowerCase().includes(MISTRAL)) return false
	const host = URL.parse(base_url)?.hostname ?? ''
	return host === MISTRAL || host.endsWith(`.${MISTRAL}`)
}

function fittingName(name: string, max: number): string {
	if (name.length <= max && PLAIN.test(name)) return name
	return name.replace(OTHER, '_').slice(0, max) || 'unnamed'
}
