/**
 * Which runs share a process with runs of the account's other deployments: those of agents without code, where nothing of
 * an owner executes (runtime/sandbox/README.md). Accounts share none: a process can be made to wait, or to end. A deployment of which one run was handed back, as it was unusually large or broke
 * something, has a process of its own for a while, as has what goes beyond its part.
 */
import type { SandboxEnd, SandboxJob } from './types.ts'

/** In the place of a deployment's id. */
export const commonOf = (account: string) => `common ${account}`
export const isCommon = (id: string) => id.startsWith('common ')

const APART_MS = 3_600_000
/** Of one deployment, in the common processes of its account together. */
const MAX_RUNS_OF_ONE = 100
/** Of an agent's texts: a process holds them for as long as it uses them. */
const MAX_AGENT_CHARS = 1024 * 1024

export interface Common {
	takes(job: SandboxJob): boolean
	enter(deployment: string): void
	/** `end`: none where the engine has stopped the run. */
	leave(deployment: string, end: SandboxEnd | undefined): void
	has(deployment: string): boolean
}

export function openCommon(now: () => number = () => performance.now()): Common {
	const going = new Map<string, number>()
	/** When they may come back. */
	const apart = new Map<string, number>()
	const isApart = (deployment: string) => {
		const until = apart.get(deployment)
		if (until === undefined) return false
		if (until > now()) return true
		apart.delete(deployment)
		return false
	}
	return {
		takes: ({ deployment, bundle: { scripts, agent }, alone }) =>
			scripts.length === 0 &&
			!alone &&
			agent.length <= MAX_AGENT_CHARS &&
			(going.get(deployment) ?? 0) < MAX_RUNS_OF_ONE &&
			!isApart(deployment),
		enter(deployment) {
			going.set(deployment, (going.get(deployment) ?? 0) + 1)
		},
		leave(deployment, end) {
			const left = (going.get(deployment) ?? 1) - 1
			if (left > 0) going.set(deployment, left)
			else going.delete(deployment)
			if (end && 'alone' in end) apart.set(deployment, now() + APART_MS)
		},
		has: (deployment) => going.has(deployment),
	}
}
