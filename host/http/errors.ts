// Every failure the outside may see, as RFC 9457 problems. `code` is stable: a test holds this table
// (spec error.codes-fixed). Its lower half are codes of runs: a call that waited answers with them.

export const problems = {
	invalid_request: [400, 'Invalid request'],
	unauthenticated: [401, 'Not authenticated'],
	forbidden: [403, 'Not allowed'],
	not_found: [404, 'Not found'],
	payload_too_large: [413, 'Too large'],
	bundle_invalid: [422, 'Invalid bundle'],
	platform_provider_refused: [422, 'A deployed agent runs on your own provider key'],
	running_agent_limit_reached: [409, 'Limit of running agents reached'],
	name_taken: [409, 'Name taken'],
	credentials_missing: [409, 'Credentials missing'],
	credential_rejected: [422, 'Credential rejected'],
	connector_not_connected: [409, 'Connector not connected'],
	inputs_invalid: [422, 'Invalid inputs'],
	deployment_not_running: [409, 'Deployment not running'],
	wrong_place: [421, 'Of another place'],
	idempotency_key_reused: [422, 'Idempotency key reused'],
	idempotency_in_progress: [409, 'First call still under way'],
	rate_limited: [429, 'Too many requests'],
	overloaded: [503, 'Overloaded'],
	budget_reached: [402, 'Budget used up'],
	/** What HTTP itself asks for. */
	precondition_failed: [412, 'Changed meanwhile'],
	conflict: [409, 'Conflict'],
	internal_error: [500, 'Internal error'],

	provider_auth_failed: [502, 'The provider refused the key'],
	provider_rate_limited: [502, 'The provider limits the rate'],
	provider_unavailable: [502, 'The provider is not available'],
	connector_unavailable: [502, 'A connector is not available'],
	http_unavailable: [502, 'An origin does not answer'],
	http_limit_reached: [500, 'Limit of requests reached'],
	tool_missing: [502, 'A required tool is missing'],
	output_invalid: [502, 'The output does not fit the schema'],
	time_limit_reached: [504, 'Time limit reached'],
	step_limit_reached: [500, 'Step limit reached'],
	token_limit_reached: [500, 'Token limit reached'],
	/** Of one model answer, which the provider cut off. */
	output_limit_reached: [500, 'Output limit of the model reached'],
	memory_limit_reached: [500, 'Memory limit reached'],
	cpu_limit_reached: [500, 'CPU limit reached'],
	agent_error: [500, 'The agent failed'],
	outcome_unknown: [500, 'Outcome of a tool call unknown'],
	replay_diverged: [500, 'Replay diverged'],
	cost_limit_reached: [402, 'Cost limit reached'],
	approval_denied: [409, 'Approval denied'],
	cancelled: [409, 'Cancelled'],
} as const satisfies Record<string, readonly [status: number, title: string]>

export type ProblemCode = keyof typeof problems

export interface FieldError {
	/** JSON pointer into the body, or the parameter's name. */
	path: string
	message: string
}

interface ProblemParts {
	/** Only where one code has two statuses: `deployment_not_running` is 410 once deleted. */
	status?: number
	errors?: FieldError[]
	headers?: Record<string, string>
	/** Further members of the document: `limit`, `slots`, `run`. */
	members?: Record<string, unknown>
	/** For the log, never for the outside. */
	cause?: unknown
}

export class Problem extends Error {
	readonly code: ProblemCode
	readonly status: number
	readonly parts: ProblemParts
	/** As Fastify calls it: for error handlers of the connector's own addresses, which know no problems. */
	readonly statusCode: number

	constructor(code: ProblemCode, detail: string, parts: ProblemParts = {}) {
		super(detail, parts.cause === undefined ? undefined : { cause: parts.cause })
		this.name = 'Problem'
		this.code = code
		this.status = parts.status ?? problems[code][0]
		this.statusCode = this.status
		this.parts = parts
	}

	/** The document of RFC 9457. */
	body(instance: string, requestId: string): Record<string, unknown> {
		return {
			type: `urn:berth:problem:${this.code}`,
			title: problems[this.code][1],
			status: this.status,
			detail: this.message,
			instance,
			code: this.code,
			...(this.parts.errors && { errors: this.parts.errors }),
			...this.parts.members,
			request_id: requestId,
		}
	}
}

/** The one answer for what is not there and for what is another account's (spec deployment.other-account-404). */
export function notFound(what = 'There is nothing at this address.'): Problem {
	return new Problem('not_found', what)
}
