/** A model's text as the value an output schema asks for. The runtime checks the schema; here is only what a retry needs. */

import type { StopCause } from '../wire/model.ts'
import { EffectFailure } from './bridge.ts'

const FENCE = '```'

/** Of an answer that the provider ended where the model's output may not be longer. */
export function cutOff(why: StopCause | undefined): EffectFailure {
	return new EffectFailure({
		code: 'output_limit_reached',
		message:
			why === 'context_window'
				? "The conversation fills the model's context, so the model could not finish its answer. Send less, or use a model with a larger context."
				: 'The model reached the limit of its output before it had answered. Ask for less, or raise the limit in `model.parameters`.',
	})
}

/** The JSON of an answer, with or without a fence around it; nothing where it is none. */
export function jsonOf(text: string): { value: unknown } | undefined {
	try {
		return { value: JSON.parse(unfenced(text)) }
	} catch {
		return undefined
	}
}

/** Without a regular expression: on a text that is nearly a fence one would take the cube of its length. */
function unfenced(text: string): string {
	const whole = text.trim()
	const first = whole.indexOf('\n')
	if (first === -1 || !whole.startsWith(FENCE) || !whole.endsWith(FENCE)) return text
	const label = whole.slice(FENCE.length, first).trim()
	return label === '' || label === 'json' ? whole.slice(first, -FENCE.length) : text
}

/** What a model most often misses, in words it can act on; undefined where nothing is seen to be wrong. */
export function faultOf(schema: object, answer: { value: unknown } | undefined): string | undefined {
	if (!answer) return 'it is not JSON'
	const { type, required, properties } = schema as {
		type?: string
		required?: string[]
		properties?: Record<string, { type?: string }>
	}
	const { value } = answer
	if (type !== undefined && !hasType(value, type)) return `it must be of type ${type}`
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
	for (const name of required ?? []) if (!Object.hasOwn(value, name)) return `"${name}" is missing`
	for (const [name, item] of Object.entries(value)) {
		const wanted = properties?.[name]?.type
		if (typeof wanted === 'string' && !hasType(item, wanted)) return `"${name}" must be of type ${wanted}`
	}
	return undefined
}

function hasType(value: unknown, type: string): boolean {
	if (type === 'null') return value === null
	if (type === 'array') return Array.isArray(value)
	if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
	if (type === 'integer') return Number.isInteger(value)
	return typeof value === type
}
