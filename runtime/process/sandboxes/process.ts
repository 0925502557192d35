/** One sandbox process from the runtime's side: started with a bound, spoken to, killed, and waited for. */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import type { Duplex, Readable, Writable } from 'node:stream'
import { type Channel, type ChannelErrorCode, openChannel } from '../../wire/channel.ts'
import { MAX_FRAME_BYTES, READY, type ToChild } from '../../wire/sandbox.ts'
import type { Cgroup, Cgroups } from './cgroup/index.ts'
import type { Exit } from './exit.ts'
import { type Launcher, nextUid, SECCOMP_FD, UID } from './launch/index.ts'
import { type Mark, openMark } from './mark.ts'
import { childOf } from './usage.ts'

const READY_MS = 15_000
const KILL_MS = 1_000
const STDERR_TAIL_CHARS = 2_000
const UNREADABLE = new Set<string>(['bad_frame', 'frame_too_large'] satisfies ChannelErrorCode[])
const PATH = '/usr/sbin:/usr/bin:/sbin:/bin'

export interface ProcessEvents {
	/** Whatever the process sent after its ready frame, undefined where it is no JSON; nothing of it has been checked. */
	onFrame(frame: unknown): void
	/** Exactly once, when the process is gone. */
	onExit(exit: Exit): void
}

export interface SandboxProcess {
	/** As the machine sees it. */
	readonly pid: number
	readonly mark: Mark
	/** Set once: what happens to it from here on goes there. */
	events: ProcessEvents | undefined
	send(message: ToChild): void
	/** Bounds its memory, where it has a cgroup. */
	allow(megabytes: number): void
	/** At once: it holds nothing that would have to be saved. Resolves when it is gone. */
	kill(): Promise<void>
}

/** Rejects with the reason, where it did not get ready; nothing is left of it then. */
export async function startProcess(launcher: Launcher, cgroups?: Cgroups): Promise<SandboxProcess> {
	const cgroup = cgroups?.make()
	const mark = openMark()
	const uid = nextUid()
	const args = launcher.args.map((arg) => arg.replace(UID, uid))
	const child = spawn(launcher.file, args, {
		cwd: '/',
		env: { PATH, TZ: 'UTC', ...cgroup?.env },
		// A session of its own: the terminal's Ctrl-C goes to the host, which ends its sandboxes in order.
		detached: true,
		stdio: [
			...[launcher.guardPipe ? 'pipe' : 'ignore', 'ignore', 'pipe', 'pipe', mark.fd],
			...(launcher.seccomp ? ['pipe'] : []),
		] as StdioOptions,
	})
	if (launcher.seccomp) sendOnce((child.stdio as unknown[])[SECCOMP_FD] as Writable, launcher.seccomp)
	const errors = tailOf(child.stderr as Readable)
	const gone = goneOf(child)
	const ready = Promise.withResolvers<void>()
	const channel = openChannel(child.stdio[3] as Duplex, {
		maxFrameBytes: MAX_FRAME_BYTES,
		onMessage(frame) {
			if (started.events) started.events.onFrame(frame)
			else if (Array.isArray(frame) && frame[0] === READY) ready.resolve()
		},
		onClose: (error) => {
			// To be judged like any other frame that breaks the protocol.
			if (error && UNREADABLE.has(error.code)) started.events?.onFrame(undefined)
			void started.kill()
		},
	})
	const started = handle(child, { channel, mark, gone, cgroup, nested: launcher.nested })
	const timer = setTimeout(() => ready.reject(new Error(`not ready within ${READY_MS} ms`)), READY_MS)
	void gone.then(({ reason }) => ready.reject(new Error(`${reason} ${errors()}`.trim())))
	try {
		await ready.promise
		return started
	} catch (error) {
		await started.kill()
		throw error
	} finally {
		clearTimeout(timer)
	}
}

/** To a launcher that may be gone: then it says so itself. */
function sendOnce(stream: Writable, bytes: Buffer): void {
	stream.on('error', () => {}).end(bytes)
}

type Gone = { signal: NodeJS.Signals | null; code: number | null; reason: string }

interface Parts {
	channel: Channel
	mark: Mark
	gone: Promise<Gone>
	cgroup: Cgroup | undefined
	nested: number
}

function handle(child: ChildProcess, { channel, mark, gone, cgroup, nested }: Parts): SandboxProcess {
	let pid: number | undefined
	let alive = child.pid !== undefined
	const kill = async () => {
		if (!alive) return
		// The sandbox itself, so that its launcher sees it end and leaves nothing behind; the whole group if that fails.
		const inner = nested > 0 ? innermost(child.pid!, nested) : undefined
		signal(inner ?? -child.pid!)
		const timer = setTimeout(() => signal(-child.pid!), KILL_MS)
		await gone
		clearTimeout(timer)
	}
	const it: SandboxProcess = {
		get pid() {
			pid ??= innermost(child.pid!, nested) ?? child.pid!
			return pid
		},
		mark,
		events: undefined,
		send: (message) => channel.send(message),
		allow: (megabytes) => cgroup?.allow(megabytes),
		kill,
	}
	void gone.then(({ signal, code }) => {
		alive = false
		channel.close()
		child.stdin?.destroy()
		const outOfMemory = cgroup?.outOfMemory() ?? false
		cgroup?.remove()
		it.events?.onExit({ signal, code, outOfMemory })
		mark.close()
	})
	return it
}

function innermost(pid: number, nested: number): number | undefined {
	let at: number | undefined = pid
	for (let i = 0; i < nested && at !== undefined; i++) at = childOf(at)
	return at
}

/** A negative number is a whole group: everything that a launcher has started before it became the sandbox. */
function signal(pid: number): void {
	try {
		process.kill(pid, 'SIGKILL')
	} catch {
		// Gone already.
	}
}

function goneOf(child: ChildProcess): Promise<Gone> {
	return new Promise((resolve) => {
		child.once('exit', (code, signal) => resolve({ code, signal, reason: `ended with ${signal ?? code}` }))
		child.once('error', (error) => resolve({ code: null, signal: null, reason: error.message }))
	})
}

function tailOf(stream: Readable): () => string {
	let tail = ''
	stream.setEncoding('utf8').on('data', (text: string) => {
		tail = (tail + text).slice(-STDERR_TAIL_CHARS)
	})
	return () => tail.trim()
}
