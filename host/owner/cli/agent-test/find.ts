import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { CommandError } from '../failure.ts'

/** What `berth test` runs in a folder and below it. Paths are absolute. */
export interface Found {
	/** Folders with an agent.yaml. */
	agents: string[]
	tests: string[]
	/** Recorded runs, in `cases/` beside an agent. */
	cases: string[]
}

const TEST = /\.test\.(?:ts|mts|js|mjs)$/

export function find(directory: string): Found {
	if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory())
		throw new CommandError(`there is no folder ${directory}`)
	const found: Found = { agents: [], tests: [], cases: [] }
	walk(resolve(directory), found)
	return found
}

function walk(folder: string, found: Found): void {
	const isAgent = existsSync(join(folder, 'agent.yaml'))
	if (isAgent) found.agents.push(folder)
	for (const entry of readdirSync(folder, { withFileTypes: true })) {
		const path = join(folder, entry.name)
		if (entry.isFile() && TEST.test(entry.name)) found.tests.push(path)
		if (!entry.isDirectory() || entry.name === 'node_modules' || entry.name.startsWith('.')) continue
		if (isAgent && entry.name === 'cases') found.cases.push(...casesIn(path))
		walk(path, found)
	}
}

const casesIn = (folder: string) =>
	readdirSync(folder)
		.filter((name) => name.endsWith('.json'))
		.map((name) => join(folder, name))
