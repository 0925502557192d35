// Finds the installed Berth, which has the engine: the one that runs `berth test`, else the `berth` of PATH.
import { existsSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const { run, script, recorded } = await import(engine())

export { recorded, run, script }

function engine() {
	if (process.env.BERTH_TEST_ENGINE) return process.env.BERTH_TEST_ENGINE
	for (const folder of (process.env.PATH ?? '').split(delimiter)) {
		const command = join(folder, 'berth')
		if (!existsSync(command)) continue
		// host/owner/cli/bin/berth.mjs
		const root = join(dirname(realpathSync(command)), '../../../..')
		const file = join(root, 'dist/agent-test.mjs')
		if (existsSync(file)) return pathToFileURL(file).href
	}
	throw new Error(
		'berth/test needs an installed Berth: run `berth test`, or put the command `berth` into PATH',
	)
}
