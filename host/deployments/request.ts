import type { ReadyRequest } from '../api/deployments.ts'

/**
 * The request to paste (spec deployment.start-request): this deployment's address, its input names filled in. `key`
 * null: a placeholder.
 */
export function readyRequest(url: string, inputs: Record<string, unknown>, key: string | null): ReadyRequest {
	const headers = { Authorization: `Bearer ${key ?? '<run_key>'}`, 'Content-Type': 'application/json' }
	const body = { inputs: sampleObject(inputs, 0) }
	const lines = [
		`curl -X POST ${quoted(`${url}/run`)}`,
		...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
		`-d ${quoted(JSON.stringify(body))}`,
	]
	return { method: 'POST', url: `${url}/run`, headers, body, curl: lines.join(' \\\n  ') }
}

/** For a POSIX shell. */
function quoted(text: string): string {
	return `'${text.replaceAll("'", `'\\''`)}'`
}

const depthMax = 6

type Schema = Record<string, unknown>

function sampleObject(schema: Schema, depth: number): Record<string, unknown> {
	const properties = (schema.properties ?? {}) as Record<string, unknown>
	return Object.fromEntries(
		Object.entries(properties).map(([name, property]) => [name, sample(property, name, depth + 1)]),
	)
}

/** What the schema itself offers first (examples, default, enum), else a value of its type that says its name. */
function sample(property: unknown, name: string, depth: number): unknown {
	if (typeof property !== 'object' || property === null || depth > depthMax) return `<${name}>`
	const schema = property as Schema
	for (const offered of [schema.const, (schema.examples as unknown[] | undefined)?.[0], schema.default]) {
		if (offered !== undefined) return offered
	}
	if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0]
	const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
	switch (type) {
		case 'integer':
		case 'number':
			return typeof schema.minimum === 'number' ? schema.minimum : 1
		case 'boolean':
			return true
		case 'null':
			return null
		case 'array':
			return schema.items === undefined ? [] : [sample(schema.items, name, depth + 1)]
		case 'object':
			return sampleObject(schema, depth)
		default:
			return `<${name}>`
	}
}
