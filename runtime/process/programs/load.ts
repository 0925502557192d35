import type { FailedLoad, LoadedScript } from '../../../bundles/index.ts'
import { LOAD_CPU_MS } from '../../../bundles/index.ts'
import type { SandboxEnd, Sandboxes } from '../sandboxes/types.ts'
import { COLLECTOR } from './collector.ts'

/** `output`: what they registered, as JSON. */
export type Loaded = { output: string } | { failed: FailedLoad }

/** Where a machine is too busy to give a program its time. */
export class NotLoaded extends Error {
	readonly code = 'not_loaded'
}

const AGENT = JSON.stringify({ name: '', prompt: '', skills: [], memory: false, output: null })
/** Each time it is given more of the clock (`starved` of a job). */
const ATTEMPTS = 3

export interface Loading {
	sandboxes: Sandboxes
	/** Name of a sandbox of its own. */
	name: string
	memoryMb: number
	/** Ends it, wherever it is. */
	signal: AbortSignal
}

/** Loads programs in a sandbox, in order, and calls none of them. Rejects `NotLoaded` where that is not their fault. */
export async function loadScripts(loading: Loading, scripts: readonly LoadedScript[]): Promise<Loaded> {
	let stack = ''
	for (let starved = 0; starved < ATTEMPTS; starved++) {
		const end = await attempt(loading, scripts, starved)
		if (end.ok) return { output: end.output }
		// A loop that was cut off once may be killed the second time, which tells no place.
		stack = end.stack || stack
		if (end.code !== 'sandbox_lost') return { failed: { code: end.code, message: end.message, stack } }
	}
	throw new NotLoaded('The programs could not be loaded: the machine is too busy.')
}

let last = 0

function attempt(
	{ sandboxes, name, memoryMb, signal }: Loading,
	scripts: readonly LoadedScript[],
	starved: number,
): Promise<SandboxEnd> {
	return new Promise((resolve, reject) => {
		signal.throwIfAborted()
		const id = `${name}_${++last}`
		const stop = () => {
			run.stop()
			reject(signal.reason as Error)
		}
		const run = sandboxes.start({
			deployment: name,
			account: name,
			run: id,
			bundle: {
				digest: id,
				agent: AGENT,
				scripts: [{ ...COLLECTOR, kind: 'agent' }, ...scripts.map(({ map: _, ...script }) => script)],
			},
			memoryMb,
			cpuMs: LOAD_CPU_MS,
			starved,
			inputs: '{}',
			seed: '0'.repeat(32),
			startedAt: Date.now(),
			// It may log while it is loaded. Nothing else is there to be asked for.
			onEffect() {},
			onEnd(end) {
				signal.removeEventListener('abort', stop)
				resolve(end)
			},
		})
		signal.addEventListener('abort', stop, { once: true })
	})
}
