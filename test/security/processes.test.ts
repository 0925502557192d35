/** What a process of a host is started with, whoever started the host: own descriptors, no core dumps. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { launcher } from '../kit/berth.ts'
import { cloneTemplate, descendants, dropDatabase } from '../kit/host.ts'

/** By bash, whose redirections take numbers of two digits and more. 3 is a socket of this test. */
const CARELESS = `ulimit -c unlimited
exec 9<"$0" 30<"$0" 200<"$0" 201<&3 && readlink /proc/$$/fd/201 && exec "$@"`

const isRoot = process.getuid?.() === 0
/** By their numbers in linux/capability.h: those of the sandbox page. */
const RUNTIMES = [1, 5, 6, 7, 8, 12, 18, 21]
const HOSTS = [...RUNTIMES, 0, 3, 10, 31]
const maskOf = (numbers: number[]) => numbers.reduce((mask, number) => mask | (1n << BigInt(number)), 0n)

function capabilities(pid: number | 'self', set: string): bigint {
	const status = readFileSync(`/proc/${pid}/status`, 'utf8')
	return BigInt(`0x${new RegExp(`^${set}:\\s+(\\w+)`, 'm').exec(status)![1]}`)
}

interface Started {
	/** A file, and a socket, that were open. */
	marked: string
	socket: string
	found: { pid: number; is: string | undefined }[]
}

async function careless(command: string[]): Promise<Started> {
	const dir = mkdtempSync(join(tmpdir(), 'berth-open-'))
	const marked = join(dir, 'marked')
	writeFileSync(marked, 'secret', { mode: 0o600 })
	const DATABASE_URL = await cloneTemplate()
	const child = spawn('bash', ['-c', CARELESS, marked, process.execPath, ...command], {
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
	await expect.poll(() => said).toContain('Berth is ready')
	const below = () => descendants(child.pid as number).map((pid) => ({ pid, is: commandOf(pid) }))
	await expect.poll(() => below().filter(({ is }) => is === 'sandbox.mjs').length).toBeGreaterThanOrEqual(2)
	// A process that is just being started or has just ended has no command for a moment.
	let found: Started['found'] = []
	await expect
		.poll(() => {
			found = below().filter(({ is }) => is !== 'berth.mjs')
			return new Set(found.map(({ is }) => is))
		})
		.toEqual(new Set(['host.mjs', 'runtime.mjs', 'sandbox.mjs']))
	const [socket = ''] = said.split('\n')
	expect(socket).toMatch(/^socket:/)
	return { marked, socket, found }
}

describe.each([
	['the launcher', [launcher, 'serve']],
	['a supervisor', ['dist/host.mjs']],
])('a host that %s starts with open files and core dumps allowed', (name, command) => {
	// Proves: sandbox.descriptors
	test('has processes that hold none of those files, make no core dump and have few capabilities', async () => {
		const { marked, socket, found } = await careless(command)
		for (const { pid, is } of found) {
			const targets = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))
			expect(targets, is).not.toContain(marked)
			expect(targets, is).not.toContain(socket)
			expect(readFileSync(`/proc/${pid}/limits`, 'utf8'), is).toMatch(/^Max core file size +0 +0 /m)
			// A supervisor decides what a host has; doctor looks at sandboxes.
			if (is === 'sandbox.mjs' || (is === 'host.mjs' && name !== 'the launcher')) continue
			const most = maskOf(is === 'host.mjs' ? HOSTS : RUNTIMES) & capabilities('self', 'CapBnd')
			for (const set of ['CapEff', 'CapPrm']) expect(capabilities(pid, set), is).toBe(isRoot ? most : 0n)
			if (isRoot) expect(capabilities(pid, 'CapBnd'), is).toBe(most)
		}
	})
})

// Proves: sandbox.descriptors
test('a process that forbids core dumps cannot be read by its own user, where that is root', async () => {
	// Without this capability root is bound by what other users are bound by.
	const [file, ...bound] = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-sys_ptrace'] : ['env']
	const readable: boolean[] = []
	for (const forbids of ['', 'm.forbidCoreDumps();']) {
		const code = `import('./runtime/lib/core-dumps.ts').then((m) => { ${forbids} console.log('on') }); setInterval(() => {}, 1e6)`
		const child = spawn(file as string, [...bound, process.execPath, '-e', code], {
			stdio: ['ignore', 'pipe', 'inherit'],
		})
		await once(child.stdout, 'data')
		const reader = [...bound, 'readlink', `/proc/${child.pid}/exe`]
		readable.push(spawnSync(file as string, reader).status === 0)
		child.kill('SIGKILL')
	}
	expect(readable).toEqual([true, process.getuid?.() !== 0])
})

/** The program of Node that a process is, or is about to become. */
function commandOf(pid: number): string | undefined {
	return /\b(berth|host|runtime|sandbox)\.mjs/.exec(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))?.[0]
}
