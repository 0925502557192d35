import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'

/** What `berth dev` keeps of one agent between starts. */
export interface DevState {
	/** Of the private host: addresses of deployments stay the same. */
	port?: number
	/** Of the model proxy: credentials are sealed for it. */
	modelPort?: number
	account?: string
	token?: string
}

/** The path of a Unix socket has 107 bytes at most, and the database has one below this folder. */
const NAME_CHARS = 20

/** The data folder of the private host; one for each agent, by where it lies. */
export function stateFolder(agent: string): string {
	const path = realpathSync(agent)
	const name = basename(path)
		.replace(/[^\w-]+/g, '-')
		.slice(0, NAME_CHARS)
	const root = process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state')
	return join(root, 'berth', 'dev', `${name}-${createHash('sha256').update(path).digest('hex').slice(0, 8)}`)
}

const fileOf = (folder: string) => join(folder, 'dev.json')

export function readState(folder: string): DevState {
	try {
		return JSON.parse(readFileSync(fileOf(folder), 'utf8')) as DevState
	} catch {
		return {}
	}
}

/** For its owner alone: it has a token of the private host. */
export function writeState(folder: string, state: DevState): void {
	mkdirSync(folder, { recursive: true, mode: 0o700 })
	const next = `${fileOf(folder)}.${process.pid}`
	writeFileSync(next, `${JSON.stringify(state)}\n`, { mode: 0o600 })
	renameSync(next, fileOf(folder))
}
