import { Problem } from '../../http/errors.ts'

// The standard headers that choose how `/run` answers (spec run.respond-async, run.prefer-wait).

const waitDefaultSeconds = 100
const waitMaxSeconds = 600

export interface Preference {
	waitMs: number
	/** For `Preference-Applied`, where the answer is a 202; null: nothing was asked for. */
	applied: string | null
}

const noPreference: Preference = { waitMs: waitDefaultSeconds * 1000, applied: null }

/** RFC 7240. Unknown and malformed preferences are ignored, as it says; the first of a name counts. */
export function readPrefer(header: string | string[] | undefined): Preference {
	if (header === undefined) return noPreference
	let wait: number | undefined
	let async = false
	for (const part of (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',')) {
		const [name = '', value = ''] = (part.split(';')[0] ?? '').split('=').map((text) => text.trim())
		if (name.toLowerCase() === 'respond-async') async = true
		const seconds = /^"?(\d{1,9})"?$/.exec(value)?.[1]
		if (name.toLowerCase() === 'wait' && seconds !== undefined)
			wait ??= Math.min(Number(seconds), waitMaxSeconds)
	}
	const applied = [async && 'respond-async', wait !== undefined && `wait=${wait}`].filter(Boolean).join(', ')
	return { waitMs: (wait ?? (async ? 0 : waitDefaultSeconds)) * 1000, applied: applied || null }
}

const keyMaxLetters = 255

/** A structured-field string as the draft says, or the bare text that most clients send. */
export function readIdempotencyKey(header: string | string[] | undefined): string | null {
	if (header === undefined) return null
	const text = Array.isArray(header) ? header.join(',') : header
	const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(text)?.[1]
	const key = quoted === undefined ? text : quoted.replace(/\\(.)/g, '$1')
	if (key !== '' && key.length <= keyMaxLetters && /^[\x20-\x7e]+$/.test(key)) return key
	throw new Problem(
		'invalid_request',
		`Idempotency-Key must be 1 to ${keyMaxLetters} visible ASCII characters.`,
	)
}

/** Named, at no lower `q` than JSON (RFC 9110 section 12.5.1). */
export function wantsStream(accept: string | undefined): boolean {
	if (!accept || !/text\/event-stream/i.test(accept)) return false
	const weights = new Map<string, number>()
	for (const part of accept.toLowerCase().split(',')) {
		const [type = '', ...parameters] = part.split(';').map((text) => text.trim())
		const q = parameters.find((text) => text.startsWith('q='))?.slice(2)
		weights.set(
			type,
			Math.max(weights.get(type) ?? 0, q !== undefined && /^[01](\.\d{0,3})?$/.test(q) ? Number(q) : 1),
		)
	}
	const stream = weights.get('text/event-stream') ?? 0
	const json = ['application/json', 'application/*', '*/*'].map((type) => weights.get(type))
	return stream > 0 && stream >= (json.find((q) => q !== undefined) ?? 0)
}

/** `Last-Event-ID`: the last event somebody has; 0: none yet. */
export function readLastEventId(header: string | string[] | undefined): number {
	if (header === undefined || header === '') return 0
	if (typeof header === 'string' && /^\d{1,9}$/.test(header)) return Number(header)
	throw noSuchEvent()
}

export const noSuchEvent = () =>
	new Problem('invalid_request', 'Last-Event-ID must be the id of an event of this run.')
