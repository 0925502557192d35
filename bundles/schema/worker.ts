import { parentPort } from 'node:worker_threads'
import type { CheckedValues, Question } from './remote.ts'
import { interpreter } from './validate.ts'

/** The thread that checks values against schemas whose check may take for ever; the other side ends it then. */
const validators = new Map<string, ReturnType<typeof interpreter>>()
const KEPT_SCHEMAS = 200

const port = parentPort
if (!port) throw new Error('this file is a worker thread')
port.on('message', ({ key, schema, value }: Question) => port.postMessage(answer(key, schema, value)))
port.postMessage('ready')

function answer(key: string, schema: string, value: unknown): CheckedValues {
	try {
		let validate = validators.get(key)
		if (!validate) {
			if (validators.size >= KEPT_SCHEMAS) validators.clear()
			validate = interpreter(JSON.parse(schema) as object)
			validators.set(key, validate)
		}
		return { errors: validate(value) }
	} catch (error) {
		// A reference that meets itself on the same value ends as a stack overflow.
		const why =
			error instanceof RangeError ? 'it nests without end or has too many faults' : 'the schema is at fault'
		return { failed: `cannot be checked against its schema: ${why}` }
	}
}
