/** Calls under way when a run ended: what its end tells of them. */
import type { Entry } from './journal.ts'
import { type Effect, effectsOf } from './recorded-effect.ts'

/** A call that was under way when a run was ended. */
export interface InFlight {
	call: number
	kind: 'model' | 'tool' | 'http'
	name: string
}

/** Of a run that is ended over its program's head, its host being lost: calls that its journal begins and does not end. */
export function inFlightIn(journal: readonly Entry[]): InFlight[] {
	return effectsOf(journal)
		.effects.filter(({ state }) => state === 'recorded')
		.flatMap(describeInFlight)
}

/** Effects that reach outside; the others are over before anyone could look. */
export function describeInFlight({ n, opening }: Effect): InFlight[] {
	if (opening?.type === 'model.started') return [{ call: n, kind: 'model', name: String(opening.data.model) }]
	if (opening?.type === 'tool.started') return [{ call: n, kind: 'tool', name: String(opening.data.name) }]
	if (opening?.type === 'http.started') return [{ call: n, kind: 'http', name: httpName(opening) }]
	return []
}

/** Of a request: never the path, which may hold people's texts. */
export function httpName({ data: { method, url } }: Entry): string {
	return `${method} ${URL.parse(String(url))?.origin ?? ''}`
}

/** The message, with a sentence of these calls at its end. `call` counts calls of all kinds. */
export function withInFlight(message: string, how: string, inFlight: readonly InFlight[]): string {
	if (inFlight.length === 0) return message
	const calls = inFlight.map(({ call, kind, name }) => `call ${call} (${kind} ${name})`)
	return `${message}${/[.!?…]$/.test(message) ? '' : '.'} ${how}: ${calls.join(', ')}.`
}
