/** Faults in the shape of `agent.yaml`, and what of it is right in itself: all faults are told in one round. */
import type { z } from 'zod'
import { type Agent, agentSchema } from './agent.ts'
import { FAULTS_MAX } from './fault.ts'
import { LIST_OF_MODELS } from './model.ts'
import { isObject } from './schema/relocate.ts'
import { MISSING, NO_FORM, plainWords } from './words.ts'

export interface Finding {
	path: PropertyKey[]
	message: string
}

/** At a member of the value, and not at the value as a whole. */
const isInside = ({ code, path }: z.core.$ZodIssue) => path.length > 0 || code === 'unrecognized_keys'

/** Of a model; `parameters` may have a member of that name. */
const isProvider = (issue: z.core.$ZodIssue) =>
	issue.code === 'invalid_union' && 'discriminator' in issue && issue.path.at(-1) === 'provider'

/**
 * A model whose provider is none is looked at again as OpenAI's, which takes all that a model may have: its other members
 * and its fallbacks would be told of in a later round otherwise.
 */
export function shapeFindings(value: unknown, issues: z.core.$ZodIssue[]): Finding[] {
	const told: z.core.$ZodIssue[] = []
	let all = issues
	const copy = issues.some(isProvider) ? structuredClone(value) : value
	// A model and its fallbacks.
	for (let depth = 0; depth < 2 && all.some(isProvider); depth++) {
		for (const issue of all.filter(isProvider)) {
			const missing = valueAt(copy, issue.path) === undefined
			const message = missing ? `"provider" is missing: it ${PROVIDERS}` : PROVIDERS
			told.push({ ...issue, message })
			put(copy, issue.path, 'openai')
		}
		const { error } = agentSchema.safeParse(copy, { error: plainWords })
		all = error?.issues ?? []
	}
	return [...told, ...all].slice(0, FAULTS_MAX).flatMap(explain)
}

const PROVIDERS = 'must be one of openai, anthropic, platform'

/** `model`, or one of `models`. */
const isModel = ([member, ...rest]: PropertyKey[]) =>
	(member === 'model' && rest.length === 0) || (member === 'models' && rest.length === 1)

function explain(issue: z.core.$ZodIssue): Finding[] {
	const path = [...issue.path]
	if (issue.code === 'unrecognized_keys') {
		return issue.keys.map((key) => ({ path: [...path, key], message: `${UNKNOWN}"${key}"` }))
	}
	if (issue.code === 'invalid_type' && issue.message === MISSING) {
		return [{ path, message: `"${String(path.at(-1))}" is missing` }]
	}
	if (issue.code === 'invalid_key') return issue.issues.map(({ message }) => ({ path, message }))
	if (isModel(path) && issue.code === 'invalid_type' && issue.message.endsWith('not an array'))
		return [{ path, message: LIST_OF_MODELS }]
	if (isProvider(issue)) return [{ path, message: issue.message }]
	if (issue.code === 'invalid_union' && issue.message === NO_FORM)
		return [{ path, message: 'must be a JSON value' }]
	if (issue.code === 'invalid_union') {
		// Of the form that the value has, the members at fault.
		const inside = issue.errors.find((issues) => issues.every(isInside))
		if (inside) return inside.flatMap((one) => explain({ ...one, path: [...path, ...one.path] }))
	}
	return [{ path, message: issue.message }]
}

export function soundMembers(value: unknown): Partial<Agent> {
	if (!isObject(value)) return {}
	const members = Object.entries(agentSchema.shape).flatMap(([member, schema]) => {
		const written = (value as Record<string, unknown>)[member]
		const read = schema.safeParse(written, { error: plainWords })
		if (read.success) return [[member, read.data]]
		const again = schema.safeParse(without(member, written, read.error.issues))
		return again.success ? [[member, again.data]] : []
	})
	return Object.fromEntries(members)
}

/**
 * What is left of a member without its unknown members and wrong values, so that what it means can be looked at in the
 * same round. Of a model only unknown members go: its values decide which others are right.
 */
function without(member: string, value: unknown, issues: z.core.$ZodIssue[]): unknown {
	const copy = structuredClone(value)
	const all = !member.startsWith('model')
	for (const issue of issues)
		for (const { path, message } of explain(issue))
			if (all || message.startsWith(UNKNOWN)) mend(copy, path, fillers[member] ?? {})
	return copy
}

/** Stand for wrong values of entries that cannot go without them. Nothing is told of a filler. */
const fillers: Record<string, Record<string, unknown>> = {
	http: { methods: ['GET'] },
	requires: { kind: 'connector', auth: 'none', scopes: [] },
}

function mend(copy: unknown, path: PropertyKey[], filler: Record<string, unknown>): void {
	const [entry, name, at] = path
	// Nothing of a list may go: what is told of the others names their places.
	if (filler === fillers.requires && name === 'tools' && typeof at === 'number') put(copy, path, `tool ${at}`)
	else if (entry !== undefined && typeof name === 'string' && Object.hasOwn(filler, name))
		put(copy, [entry, name], filler[name])
	else if (path.length === 1 && 'methods' in filler) put(copy, path, { ...filler })
	else drop(copy, path)
}

function drop(from: unknown, path: PropertyKey[]): void {
	const node = valueAt(from, path.slice(0, -1))
	if (isObject(node)) delete (node as Record<PropertyKey, unknown>)[path.at(-1) as PropertyKey]
}

function put(into: unknown, path: PropertyKey[], value: unknown): void {
	const node = valueAt(into, path.slice(0, -1))
	if (typeof node === 'object' && node !== null)
		(node as Record<PropertyKey, unknown>)[path.at(-1) as PropertyKey] = value
}

/** Of members of its own: a key may be `__proto__`. */
function valueAt(from: unknown, path: readonly PropertyKey[]): unknown {
	return path.reduce<unknown>(
		(node, part) =>
			typeof node === 'object' && node !== null && Object.hasOwn(node, part)
				? (node as Record<PropertyKey, unknown>)[part]
				: undefined,
		from,
	)
}

const UNKNOWN = 'unknown member '
