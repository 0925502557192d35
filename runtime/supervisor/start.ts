/** The host's side of the runtime process: started, kept up, spoken to, ended. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { RuntimeInit } from '../wire/init.ts'
import { PeerError } from '../wire/peer.ts'
import type { HostHandlers, RuntimeClient } from './client.ts'
import { type RuntimeProcess, runtimeFile, spawnRuntime } from './spawn.ts'

const BACKOFF_FIRST_MS = 100
const BACKOFF_MAX_MS = 5_000
/** A process that lived this long did not fail because of its start. */
const STEADY_MS = 60_000
const FAILURES_MAX = 6
/** What a shutdown may take on top of its grace: the journal, processes to be waited for. */
const SHUTDOWN_MS = 10_000
/** For calls of tools under way, unless the host says otherwise. */
const TOOLS_MS = 5_000

export interface RuntimeOptions {
	/** For the operator's log. */
	onExit?(how: string): void
	/** The runtime cannot be kept up: the host should end and be started again. */
	onGiveUp?(error: Error): void
	/** In place of the shipped runtime. */
	entry?: string
}

/** The runtime is down until it is started: calls reject with `closed`, notes are dropped. */
export interface Runtime extends RuntimeClient {
	/**
	 * Once. `held` are what the database compares the master keys by, the one in use first. Rejects where the first start fails: with the
	 * runtime's code, `master_key_missing` above all.
	 */
	start(init: RuntimeInit, handlers: HostHandlers): Promise<{ held: string[] }>
	/**
	 * Lets runs end for `graceMs`, then calls of tools for `toolsMs`, leaves the runs to the journal, and waits for the
	 * process to be gone. Idempotent.
	 */
	close(graceMs: number, toolsMs?: number): Promise<void>
}

export function openRuntime({ entry = runtimeFile(), onExit, onGiveUp }: RuntimeOptions = {}): Runtime {
	const listeners: (() => void)[] = []
	let current: RuntimeProcess | undefined
	let layers: string[] = []
	let prelude = ''
	let closing: Promise<void> | undefined
	let keeping: Promise<void> | undefined
	let failures = 0
	const stopped = new AbortController()

	const keepUp = async (process: RuntimeProcess, again: () => Promise<RuntimeProcess>) => {
		const startedAt = performance.now()
		const how = await process.exited
		current = undefined
		if (closing) return
		onExit?.(how)
		failures = performance.now() - startedAt > STEADY_MS ? 1 : failures + 1
		await revive(new Error(`The runtime process ended (${how}).`), again)
	}
	const revive = async (reason: Error, again: () => Promise<RuntimeProcess>): Promise<void> => {
		if (failures > FAILURES_MAX) return onGiveUp?.(reason)
		const wait = Math.min(BACKOFF_FIRST_MS * 2 ** (failures - 1), BACKOFF_MAX_MS)
		await sleep(wait, undefined, { signal: stopped.signal }).catch(() => undefined)
		if (closing) return
		try {
			current = await again()
		} catch (error) {
			failures++
			return revive(error as Error, again)
		}
		if (closing) return current.end()
		layers = current.layers
		keeping = keepUp(current, again)
		for (const listener of listeners) listener()
	}
	const close = async (graceMs: number, toolsMs: number) => {
		stopped.abort()
		if (current) {
			const bound = { timeoutMs: graceMs + toolsMs + SHUTDOWN_MS }
			await current.peer.call('shutdown', { graceMs, toolsMs }, bound).catch(() => undefined)
			await current?.end()
		}
		await keeping
	}

	return {
		async start(init, handlers) {
			// The key was there once: a missing file is never a reason to make another.
			const again = () => spawnRuntime(entry, { ...init, mayGenerate: false }, handlers)
			const first = await spawnRuntime(entry, init, handlers)
			current = first
			layers = first.layers
			prelude = first.prelude
			keeping = keepUp(first, again)
			return { held: first.held }
		},
		call(method, args, bound) {
			if (current) return current.peer.call(method, args as never, bound) as Promise<never>
			return Promise.reject(new PeerError('closed', 'the runtime process is down'))
		},
		notify: (method, args) => current?.peer.notify(method, args),
		onRestart: (listener) => void listeners.push(listener),
		layers: () => layers,
		prelude: () => prelude,
		pid: () => current?.pid,
		close(graceMs, toolsMs = TOOLS_MS) {
			closing ??= close(graceMs, toolsMs)
			return closing
		},
	}
}
