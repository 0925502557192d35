/** A host of one's own: on loopback, with the embedded database in a folder that is kept. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { distDir } from '../built.ts'
import { CommandError } from '../failure.ts'

const READY_MS = 60_000
const STOP_MS = 30_000
const WARN = 40
const COMMON = ['PATH', 'HOME', 'TZ', 'LANG', 'TMPDIR', 'NODE_COMPILE_CACHE']

export interface PrivateHost {
	url: string
	/** Of the local operator. */
	operator: string
	/** Resolves when it has ended, by itself or not. */
	ended: Promise<unknown>
	stop(): Promise<void>
}

export interface PrivateHostOptions {
	folder: string
	port: number
	/** Loopback addresses that agents may call. */
	egress: string[]
	/** Warnings and errors of its log, for people. */
	onWarning(text: string): void
}

export async function startPrivateHost({
	folder,
	port,
	egress,
	onWarning,
}: PrivateHostOptions): Promise<PrivateHost> {
	const program = join(distDir, 'host.mjs')
	if (!existsSync(program))
		throw new CommandError('berth dev runs a host, and this is the client alone: install the whole package')
	const child = spawn(process.execPath, [program], {
		env: {
			...Object.fromEntries(COMMON.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
			DATA_DIR: folder,
			PORT: String(port),
			EGRESS_ALLOW: [...egress, process.env.EGRESS_ALLOW].filter(Boolean).join(','),
			SHUTDOWN_SECONDS: '1',
			// So many are ready when a saved agent is checked and run.
			WARM_SPARES: '2',
		},
		// A group of its own: a terminal's Ctrl-C reaches it through us, once. The last pipe ends it with us.
		detached: true,
		stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
	})
	const ended = once(child, 'exit')
	try {
		const url = await ready(child, ended, onWarning)
		const operator = readFileSync(join(folder, 'operator.token'), 'utf8').trim()
		return { url, operator, ended, stop: () => stop(child, ended) }
	} catch (error) {
		await stop(child, ended)
		throw error
	}
}

/** Its address, from its log. */
async function ready(
	child: ChildProcess,
	ended: Promise<unknown>,
	onWarning: (text: string) => void,
): Promise<string> {
	const { promise, resolve, reject } = Promise.withResolvers<string>()
	const said: string[] = []
	const late = setTimeout(
		() => reject(new CommandError(`the private host is not ready:\n${tail()}`)),
		READY_MS,
	)
	const tail = () => said.slice(-5).join('\n')
	for (const stream of [child.stdout, child.stderr]) {
		if (!stream) continue
		createInterface({ input: stream }).on('line', (line) => {
			const { level = 0, msg = line, listener } = record(line)
			said.push(msg)
			if (level >= WARN) onWarning(msg)
			if (listener) resolve(listener)
		})
	}
	void ended.then(() =>
		setImmediate(() => reject(new CommandError(`the private host does not start: ${tail()}`))),
	)
	return promise.finally(() => clearTimeout(late))
}

function record(line: string): { level?: number; msg?: string; listener?: string } {
	try {
		return JSON.parse(line)
	} catch {
		return {}
	}
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return
	child.kill('SIGTERM')
	const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
	await ended
	clearTimeout(late)
}
