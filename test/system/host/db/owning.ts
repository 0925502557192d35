import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import postgres from 'postgres'
import { onTestFinished } from 'vitest'

// Processes that own an embedded database each, and clients of theirs; each is ended when its test is.

const owner = fileURLToPath(new URL('./owner.ts', import.meta.url))
export interface Opened {
	pid: number
	connection: { host: string; path: string; user: string; database: string }
}

export function newDir(): string {
	const dir = mkdtempSync(join(tmpdir(), 'berth-db-'))
	onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
	return dir
}

/** What the owner says first: where its server is, or why there is none. */
export async function own(dataDir: string): Promise<{ child: ChildProcess; said: string }> {
	const child = spawn(process.execPath, [owner, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
	onTestFinished(() => end(child, 'SIGTERM'))
	const [said] = await once(child.stdout as NodeJS.ReadableStream, 'data')
	return { child, said: String(said).trim() }
}

export async function open(dataDir: string): Promise<Opened & { child: ChildProcess; sql: postgres.Sql }> {
	const { child, said } = await own(dataDir)
	if (!said.startsWith('{')) throw new Error(said)
	const opened = JSON.parse(said) as Opened
	const sql = postgres({ ...opened.connection, max: 1, onnotice: () => {} })
	onTestFinished(() => sql.end({ timeout: 1 }))
	return { ...opened, child, sql }
}

export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return
	const exited = once(child, 'exit')
	child.kill(signal)
	await exited
}

/** A zombie does not: whoever should have waited for it was killed. */
export function lives(pid: number): boolean {
	try {
		return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] !== 'Z'
	} catch {
		return false
	}
}
