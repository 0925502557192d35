/** Everything the runtime process does, as the two tables of runtime/wire. */

import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEgress } from '../../egress/index.ts'
import { setSharedNow, sharedNow, workClock } from '../../lib/clock.ts'
import { loggedError } from '../../lib/log-error.ts'
import { setPrices } from '../../prices/index.ts'
import type { HostCalls, HostNotes } from '../../wire/host-calls.ts'
import type { RuntimeInit } from '../../wire/init.ts'
import type { Peer, PeerHandlers } from '../../wire/peer.ts'
import type { RuntimeCalls, RuntimeNotes } from '../../wire/runtime-calls.ts'
import { createConnectors, createSignIns } from '../connectors/index.ts'
import { createEngine } from '../engine/index.ts'
import { createCredentials, openKeyring } from '../keys/index.ts'
import { checkPrograms, createTurns } from '../programs/index.ts'
import { callModel, embedTexts } from '../providers/index.ts'
import { createSandboxes, type Sandboxes, withPrevious } from '../sandboxes/index.ts'
import { keyCalls } from './key-calls.ts'
import { probe } from './probe.ts'

/** Bundles whose programs are loaded at once. */
const CHECKS_AT_ONCE = 2
/** Of a call whose host sets no ceiling. */
const LONGEST_MS = 3_600_000
const QUESTION_MS = 600_000

const modelCalls = { callModel, embed: embedTexts }

export interface Runtime extends PeerHandlers<RuntimeCalls, RuntimeNotes> {
	/** Idempotent. */
	close(): Promise<void>
}

/** `distDir`: where the sandbox's code lies. */
export async function createRuntime(
	init: RuntimeInit,
	host: Peer<HostCalls, HostNotes>,
	distDir: string,
): Promise<Runtime> {
	const keys = openKeyring(init)
	if (init.prices) setPrices(init.prices)
	const egress = createEgress({ allow: init.egressAllow, own: init.own, maySend: hostLives() })
	const credentials = createCredentials(keys, (key) => host.notify('sealing_key.unreadable', key))
	const connectors = createConnectors({ egress })
	const { sandboxes, prelude } = await openSandboxes(init, distDir, (error) =>
		host.notify('log', { level: 'error', message: 'a sandbox failed', data: { error: loggedError(error) } }),
	)
	const engine = createEngine({
		sandboxes,
		credentials,
		connectors,
		signIns: createSignIns({ credentials, egress, host, now: sharedNow }),
		egress,
		host,
		...modelCalls,
		providerTimeoutMs: init.providerTimeoutMs,
		providerCallMs: init.providerCallMs ?? LONGEST_MS,
		connectorCeilingMs: init.connectorCeilingMs ?? LONGEST_MS,
		questionMs: init.questionMs ?? QUESTION_MS,
		...ownConnectors(init),
		ceilings: init.ceilings ?? {},
		now: workClock(),
		date: sharedNow,
	})
	const services = { egress, credentials, bundles: engine.bundles, timeoutMs: init.providerTimeoutMs }
	const stop = async (graceMs: number, toolsMs?: number) => {
		await engine.close(graceMs, toolsMs)
		await Promise.all([sandboxes.close(), connectors.close()])
		await egress.close()
	}
	const turns = createTurns(CHECKS_AT_ONCE)
	let stopped: Promise<void> | undefined

	return {
		calls: {
			init: () => ({ held: keys.held(), layers: sandboxes.layers(), prelude }),
			...keyCalls(keys),
			'provider.probe': (args) => probe(services, args),
			'programs.check': ({ owner, ...programs }) => turns(owner, () => checkPrograms(sandboxes, programs)),
			'run.replay': (args) => engine.replay(args),
			'tools.offered': (args) => engine.offers(args),
			async shutdown({ graceMs, toolsMs }) {
				stopped ??= stop(graceMs, toolsMs)
				await stopped
				return {}
			},
			stats: () => ({ runs: engine.runs(), sandboxes: sandboxes.stats() }),
		},
		notes: {
			'deployment.put': (state) => credentials.put(state),
			'deployment.drop': ({ deployment }) => {
				connectors.drop(deployment)
				void engine.dropDeployment(deployment)
				credentials.drop(deployment)
			},
			'run.begin': (begin) => engine.begin(begin),
			'run.go': ({ run }) => engine.go(run),
			'run.drop': ({ run }) => engine.drop(run),
			'run.cancel': ({ run, reason }) => engine.cancel(run, reason),
			'run.watch': ({ run }) => engine.watch(run),
			'run.decided': ({ run }) => engine.decided(run),
			'prices.put': ({ prices }) => setPrices(prices),
			clock: ({ now, at }) => setSharedNow(now, at, at),
		},
		close() {
			stopped ??= stop(0)
			return stopped
		},
	}
}

/**
 * The end of the pipe is read after what was told before it. A process that stood still, and whose host was killed meanwhile,
 * would go on with runs that others have by now.
 */
function hostLives(): () => boolean {
	const host = process.ppid
	return () => process.ppid === host
}

/** Those of this release, and, for runs that began under the previous release, those with its guest program. */
async function openSandboxes(
	{ dataDir, warmSpares, idleStopMs, sandboxRequire }: RuntimeInit,
	distDir: string,
	onError: (error: unknown) => void,
): Promise<{ sandboxes: Sandboxes; prelude: string }> {
	const before = join(distDir, 'previous')
	const [prelude, previous] = [preludeIn(distDir), preludeIn(before)]
	const options = { dataDir, idleStopMs, onError }
	const current = await createSandboxes({ ...options, distDir, warmSpares, require: sandboxRequire })
	const openPrevious = () => createSandboxes({ ...options, distDir: before, warmSpares: 0 })
	const sandboxes = withPrevious(current, previous === prelude ? null : previous, openPrevious)
	return { sandboxes, prelude: prelude ?? '' }
}

function preludeIn(dir: string): string | null {
	const file = join(dir, 'prelude.js')
	return existsSync(file) ? `sha256:${hash('sha256', readFileSync(file))}` : null
}

const ownConnectors = ({ own, ownAgents }: RuntimeInit) => ({
	guardUrl: own && `${own.origin}/mcp`,
	ownAgents: ownAgents === undefined ? undefined : new RegExp(ownAgents),
})
