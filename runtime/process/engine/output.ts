import { RunFailure } from './failure.ts'
import type { Run } from './run.ts'

const OUTPUT_MAX_BYTES = 1024 * 1024

/** The output is text, or a value of the agent's output schema. Returns the JSON text to keep. */
export async function checkedOutput(run: Run, output: string): Promise<string> {
	if (output.length > OUTPUT_MAX_BYTES || Buffer.byteLength(output) > OUTPUT_MAX_BYTES) {
		throw new RunFailure('output_invalid', `The output is over ${OUTPUT_MAX_BYTES / 1024} KiB.`)
	}
	const value: unknown = JSON.parse(output)
	const { validateOutput } = run.bundle
	if (!validateOutput) {
		if (typeof value === 'string') return output
		throw new RunFailure(
			'output_invalid',
			'The program returned something other than text, and agent.yaml has no `output` schema that allows it.',
		)
	}
	const [fault] = await validateOutput(value, { queue: run.begin.deployment })
	if (fault) {
		throw new RunFailure(
			'output_invalid',
			`The output does not fit the agent's output schema: ${fault.path || '/'} ${fault.message}.`,
		)
	}
	return output
}
