import type { SchemaError } from '../../../bundles/index.ts'
import { jsonOf } from '../../wire/json-answer.ts'
import type { ModelResult } from '../providers/index.ts'
import type { Run } from './run.ts'

const FAULTS_MAX = 5
const FAULTS_MAX_CHARS = 1000

/** Why a model's answer is no value of the schema that was asked for; what asks for tools or refuses is no answer. */
export async function answerFault(
	run: Run,
	schema: object,
	{ message, stop }: ModelResult,
): Promise<string | undefined> {
	if (stop === 'tool_calls' || stop === 'refusal') return undefined
	const answer = jsonOf(message.content)
	if (!answer) return 'it is not JSON'
	const faults = await run.bundle.validateAnswer(schema)(answer.value, { queue: run.begin.deployment })
	return faults.length === 0 ? undefined : inWords(faults)
}

export function inWords(faults: SchemaError[]): string {
	const said = faults.slice(0, FAULTS_MAX).map(({ path, message }) => `${path || '/'} ${message}`)
	return said.join('; ').slice(0, FAULTS_MAX_CHARS)
}
