/** What a build finds out about an agent's programs beyond that they compile: they load, and their types hold. */
import {
	type BundleFault,
	type Examine,
	elsewhere,
	type LoadedScript,
	type OwnTool,
} from '../../../../bundles/index.ts'
import { built, distDir } from '../built.ts'
import type { Io } from '../io.ts'
import { type Typed, typeFaults } from './types.ts'

/** As `check-programs.mjs` gives it. */
interface CheckPrograms {
	checkHere(
		distDir: string,
		programs: { scripts: LoadedScript[]; memoryMb: number },
	): Promise<{ faults: BundleFault[]; tools: OwnTool[] }>
}

interface Checks {
	/** The agent's folder. */
	directory: string
	/** False where the owner does not want types checked. */
	types: boolean
	/** The types of tests too. */
	tests?: boolean
}

export function examiner(io: Io, { directory, types, tests = false }: Checks): Examine {
	return async ({ files, scripts, memoryMb }) => {
		const unchecked: Typed = { faults: [] }
		const [loaded, typed] = await Promise.all([
			load(io, scripts, memoryMb),
			types ? typeFaults(files, { directory, tests }) : unchecked,
		])
		if (typed.unchecked) io.note(typed.unchecked)
		return { tools: loaded.tools, faults: [...loaded.faults, ...elsewhere(typed.faults, loaded.faults)] }
	}
}

/** Where no sandbox starts, the host that the bundle is deployed to says whether it loads. */
async function load(io: Io, scripts: LoadedScript[], memoryMb: number) {
	if (scripts.length === 0) return { faults: [], tools: [] }
	try {
		const { checkHere } = await built<CheckPrograms>('check-programs.mjs')
		return await checkHere(distDir, { scripts, memoryMb })
	} catch (error) {
		io.note(`The programs were not loaded here; the host does it at deploy. ${(error as Error).message}`)
		return { faults: [], tools: [] }
	}
}
