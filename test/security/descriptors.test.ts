/** D of the issue: a file that is open when a host starts is open in none of its processes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { launcher } from '../host/cli/berth.ts'
import { cloneTemplate, descendants, dropDatabase } from '../support/host.ts'

/** Opened by bash, whose redirections take numbers of two digits and more. 3 is a socket of this test. */
const OPENS = 'exec 9<"$0" 30<"$0" 200<"$0" 201<&3 && readlink /proc/$$/fd/201 && exec "$@"'

test.each([
	['the launcher', [launcher, 'serve']],
	['a supervisor', ['dist/host.mjs']],
])('a file that is open when %s starts a host is open in none of its processes', async (_name, command) => {
	const dir = mkdtempSync(join(tmpdir(), 'berth-open-'))
	const marked = join(dir, 'marked')
	writeFileSync(marked, 'secret', { mode: 0o600 })
	const DATABASE_URL = await cloneTemplate()
	const child = spawn('bash', ['-c', OPENS, marked, process.execPath, ...command], {
		env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: dir, DATABASE_URL, WARM_SPARES: '2' },
		stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
	})
	const exited = once(child, 'exit')
	onTestFinished(async () => {
		child.kill('SIGTERM')
		await exited
		await dropDatabase(DATABASE_URL)
		rmSync(dir, { recursive: true })
	})
	let said = ''
	child.stdout?.setEncoding('utf8').on('data', (text: string) => {
		said += text
	})
	await vi.waitFor(() => expect(said).toContain('Berth is ready'), 20_000)
	const below = () => descendants(child.pid as number).map((pid) => ({ pid, is: commandOf(pid) }))
	await vi.waitFor(
		() => expect(below().filter(({ is }) => is === 'sandbox.mjs').length).toBeGreaterThanOrEqual(2),
		10_000,
	)
	const found = below().filter(({ is }) => is !== 'berth.mjs')
	expect(new Set(found.map(({ is }) => is))).toEqual(new Set(['host.mjs', 'runtime.mjs', 'sandbox.mjs']))
	const [socket] = said.split('\n')
	expect(socket).toMatch(/^socket:/)
	for (const { pid, is } of found) {
		const targets = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))
		expect(targets, is).not.toContain(marked)
		expect(targets, is).not.toContain(socket)
	}
})

/** The program of Node that a process is, or is about to become. */
function commandOf(pid: number): string | undefined {
	return /\b(berth|host|runtime|sandbox)\.mjs/.exec(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))?.[0]
}
