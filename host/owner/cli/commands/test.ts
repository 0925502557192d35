import { relative } from 'node:path'
import type { Command } from 'commander'
import { BundleError, buildFrom, readWorkingTree } from '../../../../bundles/index.ts'
import { find } from '../agent-test/find.ts'
import { keepRun } from '../agent-test/keep.ts'
import { runTests } from '../agent-test/runner.ts'
import { writeTypes } from '../agent-test/write-types.ts'
import { command, does } from '../command.ts'
import { examiner } from '../examine/index.ts'
import { CommandError } from '../failure.ts'
import type { Io } from '../io.ts'
import { withoutTypes } from './bundle.ts'

interface Options {
	from?: string
	types: boolean
}

export function testCommand(program: Command): void {
	command(
		program,
		'test [dir]',
		'run the tests of an agent, on its working tree, with scripted models and tools',
	)
		.option('--from <run>', 'write a recorded run of a deployment as a test: cases/RUN.json')
		.option(...withoutTypes)
		.action(
			does<Options>(async (io, { from, types }, dir = '.') => {
				if (from !== undefined) return keepRun(io, dir, from)
				const found = find(dir)
				if (found.agents.length === 0) throw new CommandError(`there is no agent.yaml in ${dir} or below it`)
				for (const folder of found.agents) await check(io, folder, { types, within: dir })
				const report = await runTests(io, found)
				if (report.failed > 0) process.exitCode = 1
				if (io.json) io.result(report, '')
			}),
		)
}

/** As a deployment is checked: what is wrong with the agent itself is told before any test. */
async function check(
	io: Io,
	folder: string,
	{ types, within }: { types: boolean; within: string },
): Promise<void> {
	const tree = await readWorkingTree(folder)
	writeTypes(folder, tree.files)
	const prefix = relative(within, folder)
	await buildFrom(tree, examiner(io, { directory: folder, types, tests: true })).catch((error: unknown) => {
		if (!(error instanceof BundleError) || prefix === '') throw error
		throw new BundleError(error.faults.map((one) => ({ ...one, file: `${prefix}/${one.file}` })))
	})
}
