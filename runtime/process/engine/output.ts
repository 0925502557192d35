import { fileFault, filePlaces, mapFiles } from '../../../bundles/index.ts'
import { EffectRejection, RunFailure } from './failure.ts'
import { filesOf } from './files.ts'
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
	const whole = await withFiles(run, value)
	return whole === value ? output : JSON.stringify(whole)
}

/** Each file in it as the host knows it, with its address. */
async function withFiles(run: Run, value: unknown): Promise<unknown> {
	const places = filePlaces(run.bundle.agent.output ?? {})
	const ids: string[] = []
	mapFiles(places, value, ({ file }) => ids.push(String(file)))
	if (ids.length === 0) return value
	const files = await filesOf(run, ids).catch((error: unknown) => {
		if (!(error instanceof EffectRejection)) throw error
		throw new RunFailure('output_invalid', `The output names a file that is not there: ${error.message}`)
	})
	return mapFiles(places, value, ({ file }, place, pointer) => {
		const known = files.get(String(file))
		const fault = known && fileFault(place, known)
		if (fault) throw new RunFailure('output_invalid', `The file at ${pointer || '/'} of the output ${fault}.`)
		return known
	})
}
