import { randomBytes } from 'node:crypto'
import { workClock } from '../../lib/clock.ts'
import { createSignIns } from '../connectors/index.ts'
import { createEngine } from '../engine/index.ts'
import { createSandboxes, type Sandboxes } from '../sandboxes/index.ts'
import { trialHost } from './host.ts'
import {
	scriptedConnectors,
	scriptedCredentials,
	scriptedEgress,
	scriptedEmbed,
	scriptedModel,
} from './scripted.ts'
import type { ModelRequest, Trial, TrialRequest } from './types.ts'

export type {
	Asked,
	ModelRequest,
	ScriptedReply,
	ScriptedRequest,
	ScriptedResponse,
	Trial,
	TrialRequest,
	Turn,
} from './types.ts'

const SECOND = 1000
/** So long a sandbox waits for the next run of the tests. */
const IDLE_MS = 60 * SECOND
/** The same in each trial: what a program draws is the same, too. */
const SEED = '0'.repeat(32)

export interface Trials {
	run(request: TrialRequest): Promise<Trial>
	close(): Promise<void>
}

/** Rejects where no sandbox can be started here. */
export async function openTrials(distDir: string): Promise<Trials> {
	const sandboxes = await createSandboxes({
		distDir,
		dataDir: '/nonexistent',
		warmSpares: 1,
		idleStopMs: IDLE_MS,
	})
	return { run: (request) => run(sandboxes, request), close: () => sandboxes.close() }
}

async function run(sandboxes: Sandboxes, request: TrialRequest): Promise<Trial> {
	const requests: ModelRequest[] = []
	const host = trialHost(request)
	const credentials = scriptedCredentials()
	const egress = scriptedEgress(request, host)
	const engine = createEngine({
		sandboxes,
		credentials,
		connectors: scriptedConnectors(request, host),
		signIns: createSignIns({ credentials, egress, host: host.link, now: Date.now }),
		egress,
		host: host.link,
		callModel: scriptedModel(request, host, requests),
		embed: scriptedEmbed(request, host),
		providerTimeoutMs: 120 * SECOND,
		providerCallMs: 3600 * SECOND,
		connectorCeilingMs: 3600 * SECOND,
		questionMs: 600 * SECOND,
		guardUrl: undefined,
		ownAgents: undefined,
		ceilings: {},
		now: workClock(),
		date: Date.now,
	})
	try {
		const ended = await host.run(engine, {
			run: `run_${randomBytes(13).toString('hex')}`,
			deployment: `trial_${request.digest.slice(0, 16)}`,
			account: 'trial',
			digest: request.digest,
			version: 1,
			epoch: 1,
			attempt: 1,
			inputs: request.inputs,
			seed: SEED,
			created_at: Date.now(),
			stream: true,
			journal: [],
			go: true,
		})
		return { ...ended, entries: host.entries, requests, memory: host.memory(), files: host.files() }
	} finally {
		await engine.close(0)
	}
}
