/**
 * The isolation. `createSandboxes` finds out which layers this machine allows by starting a sandbox, and answers when
 * that one is ready.
 */
import type { Layer } from '../../wire/layers.ts'
import { type Cgroups, tryCgroups } from './cgroup/index.ts'
import { examine } from './doctor/index.ts'
import { type Launcher, launchers } from './launch/index.ts'
import { newRun } from './live-run.ts'
import { SandboxPool } from './pool.ts'
import { type SandboxProcess, startProcess } from './process.ts'
import type { Sandboxes } from './types.ts'
import { openWatch } from './watch.ts'

export interface SandboxesOptions {
	/** Where sandbox.mjs and prelude.js lie; those of the release before in `previous/`. */
	distDir: string
	/** Hidden from every sandbox. */
	dataDir: string
	/** Processes kept ready for deployments that are not busy yet. */
	warmSpares: number
	idleStopMs: number
	/** Layers without which nothing is started. */
	require?: Layer[] | undefined
	/** Processes of all deployments together. */
	maxProcesses?: number
	onError?(error: unknown): void
	/** Overridden in tests, to run without what the machine allows. */
	launchers?: Launcher[]
}

const MAX_PROCESSES = 256

export async function createSandboxes(options: SandboxesOptions): Promise<Sandboxes> {
	const [cgroups, lacking] = tryCgroups()
	const { launcher, first, refused } = await probe(options.launchers ?? launchers(options), cgroups)
	await requireLayers(options, launcher, cgroups).catch(async (error) => {
		await first.kill()
		cgroups?.close()
		throw error
	})
	const pool = new SandboxPool(
		{
			start: () => startProcess(launcher, cgroups),
			warmSpares: options.warmSpares,
			idleStopMs: options.idleStopMs,
			maxWorkers: options.maxProcesses ?? MAX_PROCESSES,
			onError: options.onError ?? (() => {}),
		},
		first,
	)
	const bounds = cgroups ? 'cgroup: bounds of memory and threads' : `NOT a cgroup of its own (${lacking})`
	const watch = openWatch(pool.workers, (worker, verdict) => pool.condemn(worker, verdict))
	let lastId = 0
	return {
		start(job) {
			lastId = (lastId % 0x7fffffff) + 1
			const run = newRun(lastId, job)
			pool.start(run)
			return {
				deliver: (n, ok, json, at) => pool.deliver(run, n, ok, json, at),
				stop: () => pool.stop(run),
			}
		},
		drop: (deployment) => pool.drop(deployment),
		layers: () => [...launcher.layers, bounds, ...refused],
		stats: () => [
			...Array.from(pool.workers, ({ deployment, process }) => ({ deployment, pid: process.pid })),
			...pool.spares.list().map(({ pid }) => ({ deployment: null, pid })),
		],
		async close() {
			watch.close()
			await pool.close()
			cgroups?.close()
		},
	}
}

/** The first that works; why the stronger ones did not is said with the layers. */
async function probe(
	candidates: Launcher[],
	cgroups: Cgroups | undefined,
): Promise<{ launcher: Launcher; first: SandboxProcess; refused: string[] }> {
	const refused: string[] = []
	for (const launcher of candidates) {
		try {
			return { launcher, first: await startProcess(launcher, cgroups), refused }
		} catch (error) {
			const { message } = error as Error
			refused.push(`(${launcher.name}: ${message.slice(0, 300)})`)
		}
	}
	throw new Error(`No sandbox can be started on this machine: ${refused.join(' ')}`)
}

/** Tried, not believed. */
async function requireLayers(
	{ require = [], distDir }: SandboxesOptions,
	launcher: Launcher,
	cgroups: Cgroups | undefined,
): Promise<void> {
	if (require.length === 0) return
	const findings = await examine(launcher, distDir, cgroups)
	const missing = findings.filter(({ layer, holds }) => require.includes(layer) && !holds)
	if (missing.length === 0) return
	const told = missing.map(({ layer, what, remedy }) => `${layer} (${what}). ${remedy}`)
	throw new Error(`SANDBOX_REQUIRE names layers that this machine lacks:\n${told.join('\n')}`)
}

export { withPrevious } from './previous.ts'
export type { GuestBundle, SandboxEnd, Sandboxes, SandboxJob, SandboxRun } from './types.ts'
