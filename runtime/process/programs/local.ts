/** The same check on an owner's own machine, for the command line, in a sandbox of its own. */

import type { CheckedPrograms, Programs } from '../../wire/programs.ts'
import { createSandboxes } from '../sandboxes/index.ts'
import { checkPrograms } from './check.ts'

/** Rejects where no sandbox can be started here. */
export async function checkHere(distDir: string, programs: Programs): Promise<CheckedPrograms> {
	const sandboxes = await createSandboxes({
		distDir,
		dataDir: '/nonexistent',
		warmSpares: 0,
		idleStopMs: 60_000,
	})
	try {
		return await checkPrograms(sandboxes, programs)
	} finally {
		await sandboxes.close()
	}
}
