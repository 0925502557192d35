import { fileFault, filePlaces, mapFiles } from '../../bundles/index.ts'
import type { Sql } from '../db/index.ts'
import type { KnownDeployment } from '../deployments/index.ts'
import { type FieldError, Problem } from '../http/errors.ts'
import { type FileRow, findFiles } from './read.ts'

/** In the inputs of one run. */
const inputFilesMax = 32

export interface GivenInputs {
	/** With all that is known of each file in place of its id. */
	inputs: Record<string, unknown>
	/** By which calls with one `Idempotency-Key` are compared: a file that is sent again is the same one. */
	compared: Record<string, unknown>
	files: string[]
}

/** Looks up the files that inputs name. Throws `inputs_invalid` for one that is not there, or that may not stand there. */
export async function filesOfInputs(
	sql: Sql,
	deployment: Pick<KnownDeployment, 'id' | 'keptDays' | 'agent'>,
	inputs: Record<string, unknown>,
	lineage: string | null,
): Promise<GivenInputs> {
	const places = filePlaces(deployment.agent.inputs)
	const ids = new Set<string>()
	mapFiles(places, inputs, ({ file }) => typeof file === 'string' && ids.add(file))
	if (ids.size === 0) return { inputs, compared: inputs, files: [] }
	if (ids.size > inputFilesMax)
		throw new Problem('inputs_invalid', `The inputs of a run have ${inputFilesMax} files at most.`)
	// The owner may use any of them.
	const sight = { deployment, lineage: lineage ?? undefined }
	const found = new Map((await findFiles(sql, sight, [...ids])).map((row) => [row.file, row]))
	const errors: FieldError[] = []
	const known = (change: (row: FileRow) => unknown) =>
		mapFiles(places, inputs, (given, place, pointer) => {
			if (typeof given.file !== 'string') return given
			const row = found.get(given.file)
			const message = row ? fileFault(place, row) : 'names no file that was uploaded here'
			if (message) errors.push({ path: `/inputs${pointer}`, message })
			return row && change(row)
		}) as Record<string, unknown>
	const whole = known(({ file, name, type, size, sha256 }) => ({ file, name, type, size, sha256 }))
	const [first] = errors
	if (first)
		throw new Problem('inputs_invalid', `The inputs do not fit the agent: ${first.path} ${first.message}.`, {
			errors,
		})
	return {
		inputs: whole,
		compared: known(({ name, type, sha256 }) => ({ name, type, sha256 })),
		files: [...ids],
	}
}

/** From here on the files are the run's. Before its row is written: without it, the link is swept. */
export async function linkFiles(sql: Sql, run: string, files: string[]): Promise<void> {
	await sql`
		insert into run_files (run_id, file_id) select ${run}, * from unnest(${files}::text[]) on conflict do nothing`
}

export async function unlinkFiles(sql: Sql, run: string): Promise<void> {
	await sql`delete from run_files where run_id = ${run}`
}
