import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../dist/host.mjs', import.meta.url))
const restartMs = 300
const exitMs = 30_000
const linesKept = 4000

/** A host that is started again whenever it ends, on the same port and data, as an operator's supervisor does. */
export interface KeptHost {
	url: string
	dataDir: string
	/** Its runtime and its sandboxes, as they run now. */
	parts(): { host: number | null; runtime: number | null; sandboxes: number[] }
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
	let child: ChildProcess
	let stopped = false
	let gone: Promise<unknown>
	const start = () => {
		child = spawn(process.execPath, [program], {
			env: { PATH: process.env.PATH, PORT: String(port), DATA_DIR: dataDir, ...env },
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
			const pid = child.exitCode === null && child.signalCode === null ? (child.pid ?? null) : null
			const below = pid === null ? [] : descendants(pid)
			for (const one of below) seen.set(one, startTime(one))
			const named = (part: string) => below.filter((one) => commandLine(one).includes(part))
			return { host: pid, runtime: named('runtime.mjs')[0] ?? null, sandboxes: named('sandbox.mjs') }
		},
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

/** Those of `seen` that still run, after `ms` to end. */
export async function leftOver(ms = 5_000): Promise<string[]> {
	const left = () =>
		[...seen].filter(([pid, started]) => started !== '' && startTime(pid) === started && state(pid) !== 'Z')
	for (const end = Date.now() + ms; left().length > 0 && Date.now() < end; await sleep(50));
	return left().map(([pid]) => `${pid} ${commandLine(pid)}`)
}

function descendants(root: number): number[] {
	const children = new Map<number, number[]>()
	for (const name of readdirSync('/proc')) {
		const parent = /^\d+$/.test(name) ? Number(stat(Number(name))[1]) : Number.NaN
		if (!Number.isNaN(parent)) children.set(parent, [...(children.get(parent) ?? []), Number(name)])
	}
	const found = [root]
	for (const one of found) found.push(...(children.get(one) ?? []))
	return found
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

async function freePort(): Promise<number> {
	const server = createServer().listen(0, '127.0.0.1')
	await once(server, 'listening')
	const { port } = server.address() as { port: number }
	server.close()
	await once(server, 'close')
	return port
}
