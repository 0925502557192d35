/** Programs loaded without a run, before they are deployed: their tools, and all that is wrong with them. */
import { randomUUID } from 'node:crypto'
import {
	addFaults,
	type BundleFault,
	failedFault,
	judgeFound,
	type LoadedScript,
	type OwnTool,
} from '../../../bundles/index.ts'
import type { CheckedPrograms, Programs } from '../../wire/programs.ts'
import type { Sandboxes } from '../sandboxes/types.ts'
import { type Loading, loadScripts, NotLoaded } from './load.ts'

/** Longest check of one bundle. */
const CHECK_MS = 20_000

/** Rejects `not_loaded` where the programs could not be judged. */
export async function checkPrograms(
	sandboxes: Sandboxes,
	{ scripts, memoryMb }: Programs,
): Promise<CheckedPrograms> {
	const name = `check_${randomUUID()}`
	const bound = new AbortController()
	const timer = setTimeout(
		() => bound.abort(new NotLoaded(`The programs could not be loaded within ${CHECK_MS / 1000} s.`)),
		CHECK_MS,
	)
	try {
		return await check({ sandboxes, name, memoryMb, signal: bound.signal }, scripts)
	} finally {
		clearTimeout(timer)
		await sandboxes.drop(name)
	}
}

/** All together, as a run does it; where that fails each alone, so that every fault is told. */
async function check(loading: Loading, scripts: LoadedScript[]): Promise<CheckedPrograms> {
	const all = await loadScripts(loading, scripts)
	if ('output' in all) return judgeFound(all.output, scripts)
	const [first] = scripts
	if (scripts.length === 1 && first) return { faults: [failedFault(first, all.failed)], tools: [] }
	const faults: BundleFault[] = []
	const tools: OwnTool[] = []
	for (const script of scripts) {
		const alone = await loadScripts(loading, [script])
		if ('failed' in alone) addFaults(faults, [failedFault(script, alone.failed)])
		else {
			const found = await judgeFound(alone.output, [script])
			addFaults(faults, found.faults)
			tools.push(...found.tools)
		}
	}
	if (faults.length === 0 && first) faults.push(failedFault(first, all.failed))
	return { faults, tools }
}
