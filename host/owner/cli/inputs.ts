import { readFileSync } from 'node:fs'
import { placeOf } from '../../../bundles/index.ts'
import type { Deployment } from '../client/index.ts'
import { CommandError, UsageError } from './failure.ts'

export interface InputOptions {
	input?: string[]
	inputs?: string
	file?: string[]
}

/** References may lead in a circle. */
const REFERENCES_MAX = 32

interface Taking {
	agent: Pick<Deployment['agent'], 'inputs'>
}

/** `--inputs` and `--input` of a command; the single ones count more. */
export function inputsOf({ input = [], inputs }: InputOptions, deployment: Taking) {
	const whole = inputs === undefined ? {} : jsonObject('--inputs', inputs)
	return { ...whole, ...singleInputs(input, deployment) }
}

/**
 * For a command that has no deployment yet: refuses what is wrong whatever the agent takes. Standard input is read here,
 * as it can be read once.
 */
export function checkedInputs<Options extends InputOptions>(options: Options): Options {
	const { inputs } = options
	const read = inputs === '-' ? { inputs: JSON.stringify(jsonObject('--inputs', inputs)) } : {}
	inputsOf({ ...options, ...read }, { agent: { inputs: {} } })
	return { ...options, ...read }
}

/** What an option gives as JSON: the text itself, `@FILE`, or `-` for standard input. */
export function jsonObject(option: string, text: string): Record<string, unknown> {
	let source = text
	try {
		if (text === '-') source = readFileSync(0, 'utf8')
		else if (text.startsWith('@')) source = readFileSync(text.slice(1), 'utf8')
	} catch (error) {
		throw new CommandError(`${text} cannot be read (${(error as NodeJS.ErrnoException).code})`)
	}
	const where = text === '-' ? 'standard input' : text.startsWith('@') ? text.slice(1) : 'its value'
	let value: unknown
	try {
		value = JSON.parse(source)
	} catch (error) {
		throw new UsageError(`${option} takes a JSON object; ${where} is no JSON: ${(error as Error).message}`)
	}
	if (typeof value === 'object' && value !== null && !Array.isArray(value))
		return value as Record<string, unknown>
	throw new UsageError(`${option} takes a JSON object, as in {"question": "…"}; ${where} is other JSON`)
}

/** `n=3` is a number where the schema says so and text where it says text. */
function singleInputs(pairs: string[], { agent }: Taking): Record<string, unknown> {
	const properties = (agent.inputs.properties ?? {}) as Record<string, unknown>
	const given = new Map<string, unknown>()
	for (const pair of pairs) {
		const cut = pair.indexOf('=')
		if (cut < 1) throw new UsageError(`--input takes NAME=VALUE, not "${pair}"`)
		const name = pair.slice(0, cut)
		if (given.has(name)) throw new UsageError(`--input gives ${name} more than once`)
		given.set(name, inputValue(pair.slice(cut + 1), agent.inputs, properties[name]))
	}
	return Object.fromEntries(given)
}

function inputValue(text: string, root: object, schema: unknown): unknown {
	let value: unknown
	try {
		value = JSON.parse(text)
	} catch {
		return text
	}
	const types = typesOf(root, schema)
	if (!types?.has('string')) return value
	return typeof value !== 'string' && types.has(typeOf(value)) ? value : text
}

const typeOf = (value: unknown) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)

/** What the schema takes, as far as its shape tells; undefined: anything. */
function typesOf(root: object, schema: unknown, depth = 0): Set<unknown> | undefined {
	if (typeof schema !== 'object' || schema === null || depth > REFERENCES_MAX) return undefined
	const { type, $ref, const: constant, enum: choices, anyOf, oneOf } = schema as Record<string, unknown>
	if (type !== undefined) return new Set([type].flat().map((one) => (one === 'integer' ? 'number' : one)))
	if (constant !== undefined) return new Set([typeOf(constant)])
	if (Array.isArray(choices)) return new Set(choices.map(typeOf))
	if (typeof $ref === 'string') return typesOf(root, placeOf(root, $ref), depth + 1)
	const several = anyOf ?? oneOf
	if (!Array.isArray(several)) return undefined
	const each = several.map((one) => typesOf(root, one, depth + 1))
	return each.includes(undefined) ? undefined : new Set(each.flatMap((types) => [...(types ?? [])]))
}
