/**
 * The runtime process: the only one that holds keys in clear. It is started by the host with an empty environment and a
 * pipe as descriptor 3, and ends, with its sandboxes, when that pipe does.
 */

import { forbidCoreDumps } from '../../lib/core-dumps.ts'
import { growSlowly } from '../../lib/heap.ts'
import { giveBackWhenIdle } from '../../lib/idle-memory.ts'
import { loggedError } from '../../lib/log-error.ts'
import { inheritedStream } from '../../wire/channel.ts'
import type { HostCalls, HostNotes } from '../../wire/host-calls.ts'
import { openPeer } from '../../wire/peer.ts'
import type { RuntimeCalls, RuntimeNotes } from '../../wire/runtime-calls.ts'
import { createRuntime, type Runtime } from './runtime.ts'

/** Sandboxes are killed and waited for; past this, the process ends and the kernel closes their pipes. */
const STOP_MS = 2_000

// The host says so where that is not possible.
forbidCoreDumps()
let runtime: Runtime | undefined
let stopping = false

const peer = openPeer<HostCalls, HostNotes, RuntimeCalls, RuntimeNotes>(
	inheritedStream(),
	{
		calls: {
			async init(options) {
				try {
					runtime ??= await createRuntime(options, peer, import.meta.dirname)
				} catch (error) {
					// Read by whoever started the host: a bad setting, a key file, a machine without any sandbox.
					throw Object.assign(error as Error, { code: (error as { code?: string }).code ?? 'start_failed' })
				}
				return runtime.calls.init(options)
			},
			'sealing_key.create': (args) => ready().calls['sealing_key.create'](args),
			'credential.check': (args) => ready().calls['credential.check'](args),
			'provider.probe': (args) => ready().calls['provider.probe'](args),
			'run.replay': (args) => ready().calls['run.replay'](args),
			'programs.check': (args) => ready().calls['programs.check'](args),
			'tools.offered': (args) => ready().calls['tools.offered'](args),
			'secret.wrap': (args) => ready().calls['secret.wrap'](args),
			'secret.unwrap': (args) => ready().calls['secret.unwrap'](args),
			'secret.rewrap': (args) => ready().calls['secret.rewrap'](args),
			'master_key.use': (args) => ready().calls['master_key.use'](args),
			'webhook.sign': (args) => ready().calls['webhook.sign'](args),
			shutdown: (args) => ready().calls.shutdown(args),
			stats: (args) => ready().calls.stats(args),
		},
		notes: {
			'deployment.put': (args) => ready().notes['deployment.put'](args),
			'deployment.drop': (args) => ready().notes['deployment.drop'](args),
			'run.begin': (args) => ready().notes['run.begin'](args),
			'run.go': (args) => ready().notes['run.go'](args),
			'run.drop': (args) => ready().notes['run.drop'](args),
			'run.cancel': (args) => ready().notes['run.cancel'](args),
			'run.watch': (args) => ready().notes['run.watch'](args),
			'run.decided': (args) => ready().notes['run.decided'](args),
			'prices.put': (args) => ready().notes['prices.put'](args),
			clock: (args) => ready().notes.clock(args),
		},
		onError: (error, name) => report(`${name} failed`, error),
	},
	{ onClose: (error) => stop(error ? 1 : 0) },
)

growSlowly()
giveBackWhenIdle({ onError: (error) => report('memory was not given back', error) })

// The terminal sends these to the whole group; the host decides when its runtime ends, by closing the pipe.
process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => undefined)
process.on('SIGHUP', () => undefined)
process.on('uncaughtException', (error) => {
	report('the runtime failed', error)
	stop(1)
})

function ready(): Runtime {
	if (!runtime) throw Object.assign(new Error('init comes first'), { code: 'not_ready' })
	return runtime
}

function report(message: string, error: unknown): void {
	peer.notify('log', { level: 'error', message, data: { error: loggedError(error) } })
}

function stop(code: number): void {
	if (stopping) return
	stopping = true
	setTimeout(() => process.exit(code), STOP_MS)
	Promise.resolve(runtime?.close()).finally(() => process.exit(code))
}
