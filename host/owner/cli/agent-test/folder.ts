import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getCallSites } from 'node:util'
import { distDir } from '../built.ts'

const AGENT_FILE = 'agent.yaml'
const FRAMES = 30

/** The file of a test that calls us: the first on the stack that is neither ours nor Node's. */
export function callerFile(): string | undefined {
	return getCallSites(FRAMES)
		.map(({ scriptName }) => (scriptName.startsWith('file:') ? fileURLToPath(scriptName) : scriptName))
		.find((file) => isAbsolute(file) && !file.startsWith(distDir) && !file.includes('/node_modules/'))
}

/** The nearest folder with an agent.yaml: of `named`, else of the test, else of where the tests were started. */
export function agentFolder(named: string | undefined, test: string | undefined): string {
	const start =
		named === undefined ? (test ? dirname(test) : process.cwd()) : resolve(dirname(test ?? '.'), named)
	for (let folder = start; ; folder = dirname(folder)) {
		if (existsSync(join(folder, AGENT_FILE))) return folder
		if (named !== undefined || folder === dirname(folder))
			throw new Error(
				named === undefined
					? `there is no ${AGENT_FILE} in ${start} or above it; put the test beside it, or name its folder: run(inputs, { agent: '…' })`
					: `there is no ${AGENT_FILE} in ${start}, which the test names as its agent`,
			)
	}
}
