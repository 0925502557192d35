import type { HostHandlers } from '../../runtime/supervisor/client.ts'
import { openAudit } from '../audit/index.ts'
import { openAuth, signInThrottle } from '../auth/index.ts'
import { credentialHandlers, noteCredential } from '../credentials/index.ts'
import {
	type AtStart,
	type AtVersion,
	deploymentAt,
	deploymentHandlers,
	knowDeployments,
	stopAccount,
} from '../deployments/index.ts'
import { fileHandlers } from '../files/index.ts'
import { insertKey } from '../keys/index.ts'
import { memoryHandlers } from '../memory/index.ts'
import { deploymentUrl } from '../places/index.ts'
import { openRuns, runHandlers } from '../runs/index.ts'
import { openSchedules, unfitSchedules } from '../schedules/index.ts'
import { lockSoon, lockTools } from '../tools/index.ts'
import { openWebhooks } from '../webhooks/index.ts'
import type { Base } from './base.ts'

export type Features = ReturnType<typeof makeFeatures>

/** The features that hold something in memory, each given those before it. Nothing works by itself yet. */
export function makeFeatures(base: Base) {
	const { sql } = base
	// Who calls.
	const auth = openAuth({ ...base, agentResource: (slug) => `${deploymentUrl(base.places.own, slug)}/mcp` })
	const throttle = signInThrottle()
	const audit = openAudit(base)
	// What they call.
	const deployments = knowDeployments(base)
	const at = deploymentAt(deployments, auth, base.places)
	// What it runs, who hears of it, and what begins it by the clock.
	const webhooks = openWebhooks(base)
	const runs = openRuns({ ...base, deployments, webhooks })
	const schedules = openSchedules({ ...base, deployments, runs })
	// Deployments come before all these: what a start and the end of an account need of them is handed back here.
	const asking = { ...base, deployments }
	const starting: AtStart = {
		insertKey,
		lockSoon: (row) => lockSoon(asking, row),
		noteCredential: (note) => noteCredential(asking, note),
	}
	const versions: AtVersion = {
		unfitSchedules: (deployment, agent) => unfitSchedules(sql, deployment, agent),
	}
	return {
		...base,
		auth,
		throttle,
		audit,
		deployments,
		at,
		webhooks,
		runs,
		schedules,
		starting,
		versions,
		stopAccount: (accountId: string) =>
			stopAccount({ places: base.places, sql, deployments, runs }, accountId),
	}
}

/** Who answers what the runtime asks and tells. */
export function runtimeHandlers(features: Features): Pick<HostHandlers, 'calls' | 'notes'> {
	const { sql, log } = features
	const deployments = deploymentHandlers(features)
	const credentials = credentialHandlers(features)
	const runs = runHandlers(features)
	return {
		calls: {
			...deployments.calls,
			...credentials.calls,
			'tools.lock': (args) => lockTools(sql, args),
			...memoryHandlers(sql).calls,
			...fileHandlers(features).calls,
			...runs.calls,
		},
		notes: {
			...deployments.notes,
			...credentials.notes,
			...runs.notes,
			log: ({ level, message, data }) => log[level]({ ...data }, message),
		},
	}
}
