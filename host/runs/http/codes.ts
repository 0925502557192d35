import type { RunErrorCode } from '../../../runtime/wire/journal.ts'
import type { ProblemCode } from '../../http/errors.ts'

/** Every code that a run can end with. */
const ends: Record<RunErrorCode, true> = {
	provider_auth_failed: true,
	provider_rate_limited: true,
	provider_unavailable: true,
	connector_unavailable: true,
	connector_not_connected: true,
	credentials_missing: true,
	http_unavailable: true,
	http_limit_reached: true,
	tool_missing: true,
	output_invalid: true,
	time_limit_reached: true,
	step_limit_reached: true,
	token_limit_reached: true,
	output_limit_reached: true,
	memory_limit_reached: true,
	cpu_limit_reached: true,
	agent_error: true,
	outcome_unknown: true,
	replay_diverged: true,
	cost_limit_reached: true,
	budget_reached: true,
	approval_denied: true,
	platform_provider_refused: true,
	cancelled: true,
}

export const isRunCode = (code: string) => Object.hasOwn(ends, code)

/** What `/run` answers with beside what every address of a deployment does: its run's code, or why there is no run. */
export const runErrors: ProblemCode[] = [
	...(Object.keys(ends) as RunErrorCode[]),
	'inputs_invalid',
	'deployment_not_running',
	'idempotency_key_reused',
	'conflict',
]
