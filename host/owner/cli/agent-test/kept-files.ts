/** Files of a recorded run, kept beside its case: `cases/RUN.files/1`. Their own names are in the case, as they might be anything. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { sha256 } from '../../../../bundles/index.ts'
import { CommandError } from '../failure.ts'

/** All of one run. An agent's working tree, with its cases, has 50 MiB at most. */
const KEPT_MAX_BYTES = 10 * 1024 * 1024

interface Ref {
	file: string
	name: string
	type: string
	size: number
	sha256: string
}

/** In a case: where its bytes are, from the folder of the case. */
interface Kept extends Pick<Ref, 'file' | 'name' | 'type' | 'sha256'> {
	kept: string
}

/** As a run names a file. */
const isRef = (value: object): value is Ref => 'file' in value && 'sha256' in value
const isKept = (value: object): value is Kept => 'file' in value && 'kept' in value

/** Each object that fits, changed; wherever it stands. */
function mapped<T extends object>(
	value: unknown,
	fits: (value: object) => value is T,
	change: (found: T) => unknown,
): unknown {
	if (typeof value !== 'object' || value === null) return value
	if (fits(value)) return change(value)
	if (Array.isArray(value)) return value.map((one) => mapped(one, fits, change))
	return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapped(one, fits, change)]))
}

/** `file`: of the case. Returns the inputs as the case has them. */
export async function keepFiles<Inputs>(
	inputs: Inputs,
	file: string,
	download: (id: string) => Promise<Uint8Array>,
): Promise<Inputs> {
	const refs: Ref[] = []
	mapped(inputs, isRef, (ref) => refs.push(ref))
	if (refs.length === 0) return inputs
	const size = refs.reduce((sum, ref) => sum + ref.size, 0)
	if (size > KEPT_MAX_BYTES)
		throw new CommandError(
			`the run has files of ${Math.ceil(size / 1024 / 1024)} MiB, and a case keeps ${KEPT_MAX_BYTES / 1024 / 1024} MiB: write a test of your own that gives smaller ones`,
		)
	const folder = file.replace(/\.json$/, '.files')
	mkdirSync(folder, { recursive: true })
	const places = new Map<Ref, string>()
	for (const [i, ref] of refs.entries()) {
		writeFileSync(join(folder, String(i + 1)), await download(ref.file))
		places.set(ref, `${basename(folder)}/${i + 1}`)
	}
	return mapped(inputs, isRef, (ref) => {
		const { file, name, type, sha256 } = ref
		return { file, name, type, sha256, kept: places.get(ref) } satisfies Partial<Kept>
	}) as Inputs
}

/** `file`: of the case. The inputs as `run` takes them: a file keeps its id, as recorded answers may name it. */
export function withKept<Inputs>(inputs: Inputs, file: string): Inputs {
	return mapped(inputs, isKept, ({ kept, sha256: digest, ...ref }) => {
		// A case is a file of the owner's, and names none but its own.
		const place = join('cases', `${basename(file, '.json')}.files`, basename(kept))
		const path = join(dirname(file), '..', place)
		if (!existsSync(path)) throw new CommandError(`the case needs ${place}; commit it`)
		const data = readFileSync(path)
		// A case of before has none.
		if (digest !== undefined && digest !== sha256(data))
			throw new CommandError(
				`${place} has other bytes than the run was given: put it back, or take its sha256 out of the case`,
			)
		return { ...ref, data }
	}) as Inputs
}

/** What of the files of an output is the same in each run. */
export const comparable = (output: unknown): unknown =>
	mapped(output, isRef, ({ name, type, size, sha256 }) => ({ name, type, size, sha256 }))
