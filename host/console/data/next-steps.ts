// What to do about each error code: one sentence, and where to do it. The table of failures, runs and tool calls.

/** Below `/agents/{name}`; `run`: the page of the run itself; `docs`: the reference of the agent. */
type Place = 'credentials' | 'tools' | 'versions' | 'budget' | 'keys' | 'settings' | '' | 'run' | 'docs'

export interface NextStep {
	say: string
	/** Verb of the button. */
	action: string
	to: Place
}

const limit = (what: string): NextStep => ({
	say: `Raise ${what} in agent.yaml and deploy a new version, or give the agent less to do.`,
	action: 'Open versions',
	to: 'versions',
})
const call = (say: string): NextStep => ({ say, action: 'See how to call it', to: 'docs' })

export const nextSteps: Record<string, NextStep> = {
	provider_auth_failed: {
		say: 'The provider refused the key. Replace it; the next run uses the new one.',
		action: 'Replace the key',
		to: 'credentials',
	},
	provider_rate_limited: {
		say: 'The provider takes no more calls for now, or its quota is used up. Raise the limit there, then run again.',
		action: 'Open the run',
		to: 'run',
	},
	provider_unavailable: {
		say: 'The provider did not answer properly. Run again once it does.',
		action: 'Open the run',
		to: 'run',
	},
	platform_provider_refused: {
		say: "Agents run on their owner's key. Name a provider in agent.yaml and deploy a new version.",
		action: 'Open versions',
		to: 'versions',
	},
	credentials_missing: {
		say: 'A credential is missing. Add it; the next run uses it.',
		action: 'Add the credential',
		to: 'credentials',
	},
	credential_rejected: {
		say: 'A credential was refused. Replace it; the next run uses the new one.',
		action: 'Replace the credential',
		to: 'credentials',
	},
	connector_not_connected: {
		say: 'The sign-in of a connector is over. Sign in again; nothing was spent.',
		action: 'Sign in again',
		to: 'credentials',
	},
	connector_unavailable: {
		say: 'A connector cannot be reached. See whether it answers now.',
		action: 'Check the connector',
		to: 'tools',
	},
	http_unavailable: {
		say: 'An address that the program asked did not answer properly. Run again once it does.',
		action: 'Open the run',
		to: 'run',
	},
	http_limit_reached: limit('`limits.http_calls`, or the size of what the program asks for,'),
	tool_missing: {
		say: 'A required tool is gone. See what its connector offers now.',
		action: 'See the tools',
		to: 'tools',
	},
	tool_changed: {
		say: 'A tool is not as it was locked, so it was not called. Compare it, and accept the change if it is right.',
		action: 'See the difference',
		to: 'tools',
	},
	output_invalid: {
		say: "The output does not fit the agent's schema. Look at the answer, then change the prompt or the schema.",
		action: 'Open the run',
		to: 'run',
	},
	time_limit_reached: limit('`limits.seconds`'),
	step_limit_reached: limit('`limits.steps`, or the limit of tool calls,'),
	token_limit_reached: limit('`limits.tokens`'),
	cost_limit_reached: limit('`limits.usd`'),
	output_limit_reached: limit("the model's output limit"),
	memory_limit_reached: {
		say: 'The program held too much memory. See what it worked on.',
		action: 'Open the run',
		to: 'run',
	},
	cpu_limit_reached: {
		say: 'The program computed for too long. See where, in its logs.',
		action: 'Open the run',
		to: 'run',
	},
	agent_error: {
		say: 'The program failed. Its stack names the file and the line.',
		action: 'See the stack',
		to: 'run',
	},
	outcome_unknown: {
		say: 'Nobody knows whether the tool did its work. Look there before you run again.',
		action: 'Open the run',
		to: 'run',
	},
	replay_diverged: {
		say: 'The program asked for something else when it went on. Random values and times must come from `ctx`.',
		action: 'Open the run',
		to: 'run',
	},
	budget_reached: {
		say: 'The budget of the month is used up. Raise it, or wait for the next month.',
		action: 'Raise the budget',
		to: 'budget',
	},
	approval_denied: {
		say: 'The call was denied. Run again if it was right after all.',
		action: 'Open the run',
		to: 'run',
	},
	cancelled: { say: 'Somebody cancelled it.', action: 'Open the run', to: 'run' },
	inputs_invalid: call('The inputs do not fit the schema. The caller has to send others.'),
	invalid_request: call('The request is not as the API wants it. The caller has to change it.'),
	payload_too_large: call('The request is too large. The caller has to send less.'),
	idempotency_key_reused: call('One Idempotency-Key came with two requests. Each request needs its own.'),
	rate_limited: call('There were too many calls at once. The caller has to wait as Retry-After says.'),
	overloaded: call('The host had no room. The caller has to come again, as Retry-After says.'),
	deployment_not_running: {
		say: 'The agent does not run. Start it.',
		action: 'Open the agent',
		to: '',
	},
	conflict: { say: 'The call did not fit the state of the agent.', action: 'Open the agent', to: '' },
	forbidden: {
		say: 'The key lacks a scope. Make one that has it.',
		action: 'Open keys',
		to: 'keys',
	},
	unauthenticated: {
		say: 'The key is revoked, expired or wrong. Make a new one.',
		action: 'Open keys',
		to: 'keys',
	},
}

const unknown: NextStep = {
	say: "The host failed. Its log has the cause under the request's id.",
	action: 'Open the agent',
	to: '',
}

export const nextStepOf = (code: string): NextStep => nextSteps[code] ?? unknown

/** Null: it is where one is already. */
export function addressOf({ to }: NextStep, agent: string, run: string | null, here = false): string | null {
	const name = encodeURIComponent(agent)
	if (to === 'docs') return `/docs/${name}`
	if (to === 'run') return run === null || here ? null : `/runs/${run}`
	return to === '' ? `/agents/${name}` : `/agents/${name}/${to}`
}
