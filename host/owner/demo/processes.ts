import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { CommandError } from '../cli/failure.ts'

const READY_TIMEOUT_MS = 90_000
const READY_POLL_MS = 100
const STOP_TIMEOUT_MS = 45_000

export interface Host {
	url: string
	stop(): Promise<void>
}

/** The shipped host, started as anybody would start it: `berth serve` with settings in the environment. */
export async function startHost(
	launcher: string,
	settings: Record<string, string>,
	say: (line: string) => void,
): Promise<Host> {
	const { PATH = '', HOME = '' } = process.env
	// A process group of its own: the terminal's Ctrl-C comes to the demo, which ends the host in order.
	const child = spawn(process.execPath, [launcher, 'serve'], {
		env: { PATH, HOME, ...settings },
		stdio: ['ignore', 'pipe', 'pipe'],
		detached: true,
	})
	const log: string[] = []
	for (const stream of [child.stdout, child.stderr]) {
		stream.setEncoding('utf8').on('data', (text: string) => {
			log.push(text)
			if (log.length > 200) log.shift()
		})
	}
	const url = `http://127.0.0.1:${settings.PORT}`
	try {
		await ready(child, url)
	} catch (error) {
		say(log.join(''))
		await stop(child)
		throw error
	}
	return { url, stop: () => stop(child) }
}

async function ready(child: ChildProcess, url: string): Promise<void> {
	const deadline = Date.now() + READY_TIMEOUT_MS
	while (Date.now() < deadline) {
		if (child.exitCode !== null || child.signalCode !== null)
			throw new CommandError('berth serve ended before it was ready')
		const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2000) }).catch(() => null)
		if (answer?.ok) return
		await new Promise((resolve) => setTimeout(resolve, READY_POLL_MS))
	}
	throw new CommandError(`berth serve was not ready within ${READY_TIMEOUT_MS / 1000} s`)
}

async function stop(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return
	const ended = once(child, 'exit')
	child.kill('SIGTERM')
	const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
	await ended
	clearTimeout(timer)
}

const COMMAND_TIMEOUT_MS = 240_000

export interface CommandOptions {
	env?: Record<string, string>
	input?: string
	/** Hears all of it so far. */
	onStderr?(text: string): void
	timeoutMs?: number
}

export interface CommandResult {
	code: number
	stdout: string
	stderr: string
}

/** One command of the command line, in an environment of its own. */
export async function runCommand(
	launcher: string,
	args: string[],
	{ env, input, onStderr, timeoutMs = COMMAND_TIMEOUT_MS }: CommandOptions,
): Promise<CommandResult> {
	const { PATH = '', HOME = '' } = process.env
	const child = spawn(process.execPath, [launcher, ...args], {
		env: { PATH, HOME, ...env },
		stdio: ['pipe', 'pipe', 'pipe'],
		timeout: timeoutMs,
	})
	child.stdin.on('error', () => undefined).end(input ?? '')
	let stdout = ''
	let stderr = ''
	child.stdout.setEncoding('utf8').on('data', (text: string) => {
		stdout += text
	})
	child.stderr.setEncoding('utf8').on('data', (text: string) => {
		stderr += text
		onStderr?.(stderr)
	})
	const [code] = (await once(child, 'close')) as [number | null]
	return { code: code ?? 1, stdout, stderr }
}
