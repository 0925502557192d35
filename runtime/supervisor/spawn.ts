import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { withFewCapabilities } from '../lib/capabilities.ts'
import type { HostCalls, HostNotes } from '../wire/host-calls.ts'
import type { RuntimeInit } from '../wire/init.ts'
import { openPeer, type Peer, PeerError } from '../wire/peer.ts'
import type { RuntimeCalls, RuntimeNotes } from '../wire/runtime-calls.ts'
import type { HostHandlers } from './client.ts'

const INIT_MS = 30_000
const EXIT_MS = 3_000
/** Of V8, as the host has them (host/owner/cli/bin/berth.mjs). */
export const HEAP = [
	'--min-semi-space-size=4',
	'--max-semi-space-size=8',
	'--no-parallel-scavenge',
	'--v8-pool-size=1',
]

/** One runtime process that has answered `init`. */
export interface RuntimeProcess {
	peer: Peer<RuntimeCalls, RuntimeNotes>
	pid: number
	held: string[]
	layers: string[]
	prelude: string
	/** Resolves with how it ended, once it has. */
	exited: Promise<string>
	/** Closes the pipe, which ends it, and kills it where that does not. Resolves when it is gone. Idempotent. */
	end(): Promise<void>
}

/** Rejects with the runtime's own code where `init` was refused, with `runtime_exited` where it died first. */
export async function spawnRuntime(
	entry: string,
	init: RuntimeInit,
	handlers: HostHandlers,
): Promise<RuntimeProcess> {
	// No environment but the allocator’s settings: what the runtime needs comes in `init`, and what it does not need it cannot leak.
	// Its output is for the operator; standard output belongs to the host.
	const look = init.sandboxRequire?.includes('descriptors') ?? false
	const node = [process.execPath, ...HEAP, '--import', besideCode('compile-cache.mjs')]
	const [file = '', ...args] = withFewCapabilities([...node, entry], { look })
	const child = spawn(file, args, { env: allocator(), stdio: ['ignore', 2, 2, 'pipe'] })
	const exited = exitOf(child)
	const kill = () => void child.kill('SIGKILL')
	const peer = openPeer<RuntimeCalls, RuntimeNotes, HostCalls, HostNotes>(
		child.stdio[3] as Duplex,
		handlers,
		{
			onClose: (error) => error && kill(),
		},
	)
	const end = async () => {
		peer.close()
		const timer = setTimeout(kill, EXIT_MS)
		await exited
		clearTimeout(timer)
	}
	try {
		const early = exited.then((how) => {
			throw new PeerError('runtime_exited', `The runtime process ended before it was ready (${how}).`)
		})
		const answer = await Promise.race([
			peer.call('init', init, { timeoutMs: INIT_MS }).catch(preferExit(exited)),
			early,
		])
		return { peer, pid: child.pid as number, ...answer, exited, end }
	} catch (error) {
		await end()
		throw error
	}
}

/** A process that dies closes its pipe first; how it died says more than that the pipe closed. */
function preferExit(exited: Promise<string>) {
	return (error: PeerError): Promise<never> | never => {
		if (error.code !== 'closed') throw error
		return exited.then(() => new Promise<never>(() => undefined))
	}
}

function exitOf(child: ChildProcess): Promise<string> {
	return new Promise((resolve) => {
		child.once('error', (error) => resolve(error.message))
		void once(child, 'exit').then(
			([code, signal]) => resolve(signal ? `signal ${signal}` : `exit code ${code}`),
			() => undefined,
		)
	})
}

export const runtimeFile = () => besideCode('runtime.mjs')

/** Beside the bundle this code is part of, or in `dist/` where it runs from its source. */
function besideCode(name: string): string {
	const here = import.meta.url
	const folder = here.endsWith('.ts') ? '../../dist' : here.includes('/chunks/') ? '..' : '.'
	return fileURLToPath(new URL(`${folder}/${name}`, here))
}

function allocator(): NodeJS.ProcessEnv {
	return Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('MALLOC_')))
}
