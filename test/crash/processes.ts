import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../host/lib/free-port.ts'
import { descendants } from '../kit/host.ts'

const program = fileURLToPath(new URL('../../dist/host.mjs', import.meta.url))
const clock = new URL('../kit/clock.mjs', import.meta.url)
const restartMs = 300
const exitMs = 30_000
const linesKept = 4000

/** A host that is started again whenever it ends, on the same port and data, as an operator's supervisor does. */
export interface KeptHost {
	url: string
	dataDir: string
	/** Its runtime and its sandboxes, as they run now. */
	parts(): { host: number | null; runtime: number | null; sandboxes: number[] }
	/** All of them, the host first. */
	processes(): number[]
	/** From now on, also after a restart, its clock and its runtime's are so many milliseconds off. */
	setClock(ms: number): void
	lines: string[]
	/** When it found that its lease had run out: a machine too busy is to its runs what a kill is. */
	lapses: number[]
	/** Answers `/readyz`, and with how many starts it took. */
	ready(ms?: number): Promise<void>
	/** Ends it in order and for good. */
	stop(): Promise<void>
}

/** Every process that was ever seen below a host, with its start time: none may outlive it. */
export const seen = new Map<number, string>()

export async function keepHost(dataDir: string, env: Record<string, string>): Promise<KeptHost> {
	const port = await freePort()
	const url = `http://127.0.0.1:${port}`
	const lines: string[] = []
	const lapses: number[] = []
	const offset = join(dataDir, 'clock.offset')
	mkdirSync(dataDir, { recursive: true })
	writeFileSync(offset, '0')
	const preload = new URL(clock)
	preload.searchParams.set('offset', offset)
	const { NODE_COMPILE_CACHE } = process.env
	const own = { NODE_OPTIONS: `--import=${preload}`, NODE_COMPILE_CACHE, ...env }
	let child: ChildProcess
	let stopped = false
	let gone: Promise<unknown>
	const start = () => {
		child = spawn(process.execPath, [program], {
			env: { PATH: process.env.PATH, PORT: String(port), DATA_DIR: dataDir, ...own },
			stdio: ['ignore', 'pipe', 'pipe'],
		})
		for (const stream of [child.stdout, child.stderr]) {
			stream?.setEncoding('utf8').on('data', (text: string) => {
				lines.push(...text.split('\n').filter(Boolean))
				if (text.includes('the lease of this host had run out')) lapses.push(Date.now())
				if (lines.length > linesKept) lines.splice(0, lines.length - linesKept)
			})
		}
		gone = once(child, 'exit').then(async () => {
			lines.push(`— the host ended (${child.exitCode ?? child.signalCode}) —`)
			if (stopped) return
			await sleep(restartMs)
			if (!stopped) start()
		})
	}
	start()
	const host: KeptHost = {
		url,
		dataDir,
		lines,
		lapses,
		parts() {
			const below = host.processes()
			const named = (part: string) => below.filter((one) => commandLine(one).includes(part))
			return {
				host: below[0] ?? null,
				runtime: named('runtime.mjs')[0] ?? null,
				sandboxes: named('sandbox.mjs'),
			}
		},
		processes() {
			const runs = child.exitCode === null && child.signalCode === null && child.pid
			const below = runs ? descendants(runs) : []
			for (const one of below) seen.set(one, startTime(one))
			return below
		},
		setClock: (ms) => writeFileSync(offset, String(ms)),
		async ready(ms = 60_000) {
			for (const end = Date.now() + ms; ; await sleep(100)) {
				const answer = await fetch(`${url}/readyz`).catch(() => null)
				if (answer?.status === 200) return
				if (Date.now() > end) throw new Error(`the host is not ready:\n${lines.slice(-20).join('\n')}`)
			}
		},
		async stop() {
			host.parts()
			stopped = true
			child.kill('SIGTERM')
			const late = setTimeout(() => child.kill('SIGKILL'), exitMs)
			await gone
			clearTimeout(late)
		},
	}
	return host
}

/** They stand still for so long, or until they are killed. */
export async function freeze(pids: number[], ms: number): Promise<void> {
	const send = (signal: NodeJS.Signals) => {
		for (const pid of pids) {
			try {
				process.kill(pid, signal)
			} catch {
				// It is gone.
			}
		}
	}
	send('SIGSTOP')
	await sleep(ms)
	send('SIGCONT')
}

/** Those of `seen` that still run, after `ms` to end. */
export async function leftOver(ms = 5_000): Promise<string[]> {
	const left = () =>
		[...seen].filter(([pid, started]) => started !== '' && startTime(pid) === started && state(pid) !== 'Z')
	for (const end = Date.now() + ms; left().length > 0 && Date.now() < end; await sleep(50));
	return left().map(([pid]) => `${pid} ${commandLine(pid)}`)
}

/** State, parent, … start time of proc(5); empty once it is gone. */
function stat(pid: number): string[] {
	try {
		const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
		return text.slice(text.lastIndexOf(')') + 2).split(' ')
	} catch {
		return []
	}
}
const state = (pid: number) => stat(pid)[0]
const startTime = (pid: number) => stat(pid)[19] ?? ''

function commandLine(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
	} catch {
		return ''
	}
}
