import type { DeploymentStateName } from '../db/index.ts'
import { Problem } from '../http/errors.ts'

// The states of a deployment and what may be asked in each (spec deployment.states), in one table.

export type Action = 'start' | 'stop' | 'cancel' | 'delete' | 'activate' | 'upload'

/**
 * `go`: it is done. `done`: the wish is already true, and the call may be repeated. `join`: somebody is doing it, so
 * wait for them. Anything else is refused with that sentence.
 */
type Rule = 'go' | 'done' | 'join' | { refuse: string }

const refuse = (sentence: string): Rule => ({ refuse: sentence })

export const rules: Record<Exclude<DeploymentStateName, 'deleted'>, Record<Action, Rule>> = {
	creating: { start: 'go', stop: 'go', cancel: 'go', delete: 'go', activate: 'go', upload: 'go' },
	running: {
		start: 'done',
		stop: 'go',
		cancel: refuse('It is running. Stop it instead.'),
		delete: 'go',
		activate: 'go',
		upload: 'go',
	},
	stopping: {
		start: refuse('It is stopping. Start it again once it has stopped.'),
		stop: 'join',
		cancel: refuse('It is stopping already.'),
		delete: 'join',
		activate: 'go',
		upload: 'go',
	},
	failed: {
		start: refuse('It has failed (`state_reason` says why). Cancel it and deploy again.'),
		stop: 'go',
		cancel: 'go',
		delete: 'go',
		activate: refuse('It has failed (`state_reason` says why). Cancel it and deploy again.'),
		upload: refuse('It has failed (`state_reason` says why). Cancel it and deploy again.'),
	},
	stopped: { start: 'go', stop: 'done', cancel: 'done', delete: 'go', activate: 'go', upload: 'go' },
}

/** States that take a slot of the plan. */
export const slotStates = ['creating', 'running', 'stopping', 'failed'] as const

export function ruleOf(state: DeploymentStateName, action: Action): 'go' | 'done' | 'join' {
	if (state === 'deleted') throw deleted()
	const rule = rules[state][action]
	if (typeof rule === 'object') throw new Problem('conflict', rule.refuse, { members: { state } })
	return rule
}

export function deleted(): Problem {
	return new Problem('deployment_not_running', 'The deployment has been deleted.', { status: 410 })
}

/** Where another call was quicker: this one read a state that is gone. */
export function changedMeanwhile(): Problem {
	return new Problem('conflict', 'The deployment changed meanwhile. Read it and try again.')
}

/** For a run or anything else that needs a running deployment. */
export function notRunning(state: DeploymentStateName): Problem {
	if (state === 'deleted') return deleted()
	const detail =
		state === 'creating' ? 'The deployment has not been started yet.' : `The deployment is ${state}.`
	return new Problem('deployment_not_running', detail, { members: { state } })
}
