// A host ends with the command that started it, and that command only after it, however a stop is asked for.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cloneTemplate, descendants, dropDatabase } from '../../../kit/host.ts'

/** Starts a host with the command, asks it to stop, and looks at what is left of it when the command has ended. */
async function started(command: string, args: string[], stop: (child: ChildProcess) => void): Promise<void> {
	const database = await cloneTemplate()
	// Of tests that run at once, a folder of the kit would end with any of them.
	const dataDir = mkdtempSync(join(tmpdir(), 'berth-stop-'))
	const env = {
		PATH: process.env.PATH,
		HOME: dataDir,
		npm_config_update_notifier: 'false',
		PORT: '0',
		DATA_DIR: dataDir,
		DATABASE_URL: database,
		WARM_SPARES: '0',
	}
	const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'pipe'] })
	const exited = once(child, 'exit')
	let said = ''
	for (const stream of [child.stdout, child.stderr])
		stream.setEncoding('utf8').on('data', (text: string) => (said += text))
	let below: number[] = []
	try {
		await expect.poll(() => said).toContain('Berth is ready')
		below = descendants(child.pid as number)
		expect(below.length).toBeGreaterThan(3)
		stop(child)
		expect(await exited).toEqual([0, null])
		expect(below.filter(lives)).toEqual([])
		expect(said).toContain('Berth has stopped')
		// On a terminal for people, in a pipe for programs.
		expect(said.includes('{"level"')).toBe(command !== 'script')
		await expect(fetch(/http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] ?? '')).rejects.toThrow('fetch failed')
	} finally {
		for (const pid of below.filter(lives)) process.kill(pid, 'SIGKILL')
		await dropDatabase(database)
		rmSync(dataDir, { recursive: true, force: true })
	}
}

function lives(pid: number): boolean {
	try {
		process.kill(pid, 0)
		return true
	} catch {
		return false
	}
}

// Proves: start.launcher
it.concurrent.each([
	['SIGTERM', ['start']],
	['SIGINT', ['start']],
	['SIGTERM', ['run', 'berth', '--', 'serve']],
	['SIGINT', ['run', 'berth', '--', 'serve']],
] as const)('%s to npm %j ends npm once the host has drained and ended', (signal, args) =>
	started('npm', [...args], (child) => child.kill(signal)),
)

// Proves: start.launcher
it('Ctrl-C in a terminal, which reaches npm and the launcher at once, is one request to stop', () =>
	started('script', ['-qec', 'exec npm start', '/dev/null'], (child) => child.stdin?.write('\u0003')))
