// What the outside may rely on stands here as literals, so that a change of it is deliberate.
import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { expect, expectTypeOf, test } from 'vitest'
import { prefixes } from '../../host/auth/secret-format.ts'
import type { DeploymentStateName, RunStatus } from '../../host/db/schema.ts'
import { problems } from '../../host/http/errors.ts'
import { settings } from '../../host/settings/config.ts'
import { HEAP } from '../../runtime/supervisor/spawn.ts'
import type { EventType, RunErrorCode } from '../../runtime/wire/journal.ts'
import { MALLOC } from '../bench/berth.ts'

test('V8 and allocator are set alike in host and runtime, and in the bench, which starts its hosts by itself', () => {
	const launcher = readFileSync('host/owner/cli/bin/berth.mjs', 'utf8')
	const literal = (name: string) => {
		const text = new RegExp(`^const ${name} = ([[{][^]*?^[\\]}])`, 'm').exec(launcher)?.[1]
		return runInNewContext(`(${text})`)
	}
	expect([...literal('HEAP')]).toEqual(HEAP)
	expect({ ...literal('MALLOC') }).toEqual(MALLOC)
})

// Proves: error.codes-fixed, run.end-codes
test('error codes and their statuses are the listed ones', () => {
	expect(Object.fromEntries(Object.entries(problems).map(([code, [status]]) => [code, status]))).toEqual({
		invalid_request: 400,
		unauthenticated: 401,
		forbidden: 403,
		not_found: 404,
		payload_too_large: 413,
		bundle_invalid: 422,
		platform_provider_refused: 422,
		running_agent_limit_reached: 409,
		name_taken: 409,
		credentials_missing: 409,
		credential_rejected: 422,
		connector_not_connected: 409,
		inputs_invalid: 422,
		deployment_not_running: 409,
		wrong_place: 421,
		idempotency_key_reused: 422,
		idempotency_in_progress: 409,
		rate_limited: 429,
		overloaded: 503,
		budget_reached: 402,
		precondition_failed: 412,
		conflict: 409,
		internal_error: 500,
		provider_auth_failed: 502,
		provider_rate_limited: 502,
		provider_unavailable: 502,
		connector_unavailable: 502,
		http_unavailable: 502,
		http_limit_reached: 500,
		tool_missing: 502,
		output_invalid: 502,
		time_limit_reached: 504,
		step_limit_reached: 500,
		token_limit_reached: 500,
		output_limit_reached: 500,
		memory_limit_reached: 500,
		cpu_limit_reached: 500,
		agent_error: 500,
		outcome_unknown: 500,
		replay_diverged: 500,
		cost_limit_reached: 402,
		approval_denied: 409,
		cancelled: 409,
	})
})

// Proves: run.end-codes
test('every code a run can end with is a problem, too', () => {
	expectTypeOf<RunErrorCode>().toExtend<keyof typeof problems>()
	expect(problems).toHaveProperty('cancelled')
})

// Proves: run.statuses
test('states of deployments and runs are the listed ones', () => {
	const deployment = {
		creating: 1,
		running: 1,
		stopping: 1,
		failed: 1,
		stopped: 1,
		deleted: 1,
	} satisfies Record<DeploymentStateName, 1>
	const run = { queued: 1, running: 1, waiting: 1, succeeded: 1, failed: 1, cancelled: 1 } satisfies Record<
		RunStatus,
		1
	>
	expectTypeOf<keyof typeof deployment>().toEqualTypeOf<DeploymentStateName>()
	expectTypeOf<keyof typeof run>().toEqualTypeOf<RunStatus>()
	expect(Object.keys(deployment)).toHaveLength(6)
	expect(Object.keys(run)).toHaveLength(6)
})

// Proves: event.vocabulary
test('events are the listed ones', () => {
	const shown = {
		'run.started': 1,
		'model.started': 1,
		'model.delta': 1,
		'model.retrying': 1,
		'model.completed': 1,
		'tool.started': 1,
		'tool.completed': 1,
		'http.started': 1,
		'http.completed': 1,
		'memory.changed': 1,
		log: 1,
		'approval.requested': 1,
		'approval.decided': 1,
		'run.waiting': 1,
		'budget.warning': 1,
		'run.completed': 1,
		'run.failed': 1,
		'run.cancelled': 1,
	} satisfies Partial<Record<EventType, 1>>
	expectTypeOf<keyof typeof shown>().toEqualTypeOf<Exclude<EventType, `effect.${string}`>>()
	expect(Object.keys(shown)).toHaveLength(18)
})

// Proves: account.secret-form
test('prefixes of secrets are those scanners look for', () => {
	expect(prefixes).toEqual({
		run_key: 'brk',
		personal: 'bpt',
		upload: 'bup',
		session: 'bss',
		console: 'bco',
		sign_in: 'bsi',
	})
})

// Proves: webhook.retry-schedule, webhook.time-out
test('a webhook that fails is tried again for three days, and each try has 15 s', () => {
	const [s, min, h] = [1, 60, 3600]
	const waits = [5 * s, 5 * min, 30 * min, 2 * h, 5 * h, 10 * h, 14 * h, 20 * h, 24 * h]
	expect(settings.WEBHOOK_RETRY_SECONDS.default).toBe(waits.join(','))
	expect(settings.WEBHOOK_TIMEOUT_SECONDS.default).toBe('15')
})

// Proves: start.defaults
test('a host is this computer’s alone unless told otherwise', () => {
	expect([settings.HOST.default, settings.PORT.default]).toEqual(['127.0.0.1', '8787'])
})
