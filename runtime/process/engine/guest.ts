/**
 * The program of a run, and what it asks for. The guest is not trusted: numbers, names, arguments and sizes are checked
 * on this side. Execution is a function of what is delivered and in which order, so a program that is run again with the
 * recorded answers asks for the same effects; one that does not has diverged.
 */
import { loggedError } from '../../lib/log-error.ts'
import type { RunErrorCode } from '../../wire/journal.ts'
import { digestOf, type Effect, type Method } from '../../wire/recorded-effect.ts'
import type { SandboxEnd } from '../sandboxes/types.ts'
import { citationsOf } from './citations.ts'
import { NOTHING_DECLARED } from './declared-tools.ts'
import { handlers } from './effects/index.ts'
import { abandon, fail, finish } from './end.ts'
import { EffectRejection, RunAbandoned, RunFailure } from './failure.ts'
import { CPU_MS, EFFECTS_MAX } from './limits.ts'
import { checkedOutput } from './output.ts'
import { type Guest, mayBegin, type Run } from './run.ts'
import { overByAgents } from './run-limits.ts'
import { pump, settle } from './settle.ts'

const LOST_MAX = 3
/** Each time a turn has four times as much of the clock: beyond these nothing but the program can be the cause. */
const STARVED_MAX = 5

export function newGuest(): Guest {
	return {
		sandbox: undefined,
		issued: 0,
		delivered: 0,
		held: [],
		ended: undefined,
		notKept: 0,
		declared: NOTHING_DECLARED,
		known: new Map(),
		tools: undefined,
	}
}

/** Begins the program, from its beginning. */
export function startGuest(run: Run): void {
	const guest = newGuest()
	run.guest = guest
	const current = () => run.guest === guest && !run.over
	guest.sandbox = run.services.sandboxes.start({
		deployment: run.begin.deployment,
		account: run.begin.account,
		run: run.begin.run,
		bundle: run.bundle.guest,
		prelude: run.begin.prelude,
		memoryMb: run.bundle.agent.limits.memory_mb,
		cpuMs: CPU_MS,
		starved: run.starved,
		alone: run.alone,
		inputs: run.begin.inputs,
		seed: run.begin.seed,
		startedAt: run.startedAt,
		onEffect: (n, method, args, stack) => {
			if (current()) onEffect(run, n, method, args, stack)
		},
		onNotKept: (lines) => {
			guest.notKept = lines
		},
		onEnd: (end) => {
			if (current()) onEnd(run, end)
		},
	})
	pump(run)
}

function onEffect(run: Run, n: number, method: string, args: string, stack: string | undefined): void {
	const { guest } = run
	if (n !== guest.issued + 1)
		return void fail(run, 'agent_error', `The program used effect number ${n} out of turn.`)
	if (!Object.hasOwn(handlers, method))
		return void fail(run, 'agent_error', 'The program asked for an effect there is not.')
	if (n > EFFECTS_MAX)
		return void fail(run, 'step_limit_reached', `The run asked for more than ${EFFECTS_MAX} effects.`)
	guest.issued = n
	const effect = effectOf(run, n, method as Method, args)
	if (!effect) {
		return void fail(
			run,
			'replay_diverged',
			`Run again, the program asked for something else than before (effect ${n}, ${method}).`,
		)
	}
	effect.method = method as Method
	if (effect.state === 'running') return
	if (effect.state === 'closed') {
		attempt(run, effect, () => handlers[effect.method].replayed?.(run, effect, args))
		return void pump(run)
	}
	effect.args = args
	effect.stack = stack
	if (mayBegin(run, effect)) return void startEffect(run, effect)
	effect.state = 'held'
	guest.held.push(effect)
}

/** The effect of that number, known or new; undefined where the known one was another. */
function effectOf(run: Run, n: number, method: Method, args: string): Effect | undefined {
	const digest = digestOf(method, args)
	const known = run.effects[n]
	if (known) return known.digest === digest ? known : undefined
	const effect: Effect = {
		n,
		digest,
		method,
		args,
		stack: undefined,
		state: 'held',
		attempt: 0,
		requests: [],
		opening: undefined,
		closing: undefined,
	}
	run.effects[n] = effect
	return effect
}

export function startEffect(run: Run, effect: Effect): void {
	effect.state = 'running'
	effect.attempt++
	run.activeAt = run.services.now()
	run.running.add(effect)
	attempt(run, effect, () => handlers[effect.method].run(run, effect))
}

function attempt(run: Run, effect: Effect, act: () => void | Promise<void>): void {
	try {
		act()?.catch((error: unknown) => onFailure(run, effect, error))
	} catch (error) {
		onFailure(run, effect, error)
	}
}

function onFailure(run: Run, effect: Effect, error: unknown): void {
	if (run.over) return
	if (error instanceof RunFailure) return void fail(run, error.code, error.message)
	if (error instanceof RunAbandoned) return void abandon(run, error)
	if (error instanceof EffectRejection && effect.state === 'running') {
		run.rejections.add(error.code)
		const { code, message } = error
		return void settle(run, effect, {
			type: 'effect.completed',
			ok: false,
			result: JSON.stringify({ code, message }),
			data: { method: effect.method, error: { code, message } },
		})
	}
	run.services.host.notify('log', {
		level: 'error',
		message: 'an effect failed inside the runtime',
		data: { run: run.begin.run, method: effect.method, error: loggedError(error) },
	})
	fail(run, 'agent_error', `Berth failed at effect ${effect.n} (${effect.method}).`)
}

function onEnd(run: Run, end: SandboxEnd): void {
	if (!end.ok) return void onGuestFailure(run, end)
	if (run.guest.issued < run.effects.length - 1) {
		return void fail(
			run,
			'replay_diverged',
			'Run again, the program ended before it had asked for what it asked for before.',
		)
	}
	checkedOutput(run, end.output)
		.then((output) => {
			// Where a crash came between the report of an agent and the end of the run.
			const over = overByAgents(run)
			if (over) throw over
			const citations = citationsOf(run, end.output)
			finish(run, { status: 'succeeded', output, ...(citations !== undefined && { citations }) })
		})
		.catch((error: unknown) => {
			if (error instanceof RunFailure) fail(run, error.code, error.message)
			else fail(run, 'output_invalid', 'The output could not be read.')
		})
}

function onGuestFailure(run: Run, end: Exclude<SandboxEnd, { ok: true }>): void {
	if (end.code !== 'sandbox_lost')
		return void fail(run, endCode(run, end), end.message, 'stack' in end ? end.stack : undefined)
	if (end.starved) run.starved++
	if (!end.blameless || run.starved > STARVED_MAX || (end.alone && run.alone)) run.lost++
	if (end.alone) run.alone = true
	if (run.lost <= LOST_MAX) startGuest(run)
	else fail(run, 'agent_error', `The sandbox was lost ${run.lost} times under this run.`)
}

/** A program may end with the code of an effect that was refused to it or cut off, or find its own output at fault; nothing else is believed. */
function endCode(run: Run, { code, cause }: { code: RunErrorCode; cause?: string }): RunErrorCode {
	if (cause === undefined || code !== 'agent_error') return code
	if (cause === 'output_invalid') return cause
	return run.rejections.has(cause) && mayEndWith.has(cause) ? (cause as RunErrorCode) : code
}

const mayEndWith = new Set<string>([
	'provider_auth_failed',
	'provider_rate_limited',
	'provider_unavailable',
	'connector_unavailable',
	'connector_not_connected',
	'http_unavailable',
	'output_limit_reached',
	'credentials_missing',
	'tool_missing',
] satisfies RunErrorCode[])
