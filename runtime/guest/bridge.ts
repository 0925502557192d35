/**
 * Effects: the guest's only way out. Each gets the next number and leaves as JSON text when the host drains the outbox
 * after the turn; its answer comes back through `deliver`. The runtime trusts none of this: it checks numbers, names,
 * sizes and counts itself. The bounds here only turn a breach into an error the program can see.
 */
import type { EffectError, Effects } from '../wire/effects.ts'
import { setClock } from './clock.ts'
import { originHere, putOrigin } from './stack.ts'
import { own, type RunState, type Waiting } from './state.ts'

const MAX_EFFECTS = 10_000
const MAX_ARGS_CHARS = 4 * 1024 * 1024
const MAX_OUTBOX_CHARS = 6 * 1024 * 1024

// Kept from before any code of the owner ran.
const { stringify, parse } = JSON
const NativePromise = Promise

type Reply<M extends keyof Effects> = Effects[M]['reply']

/** An effect that failed: `code` is the runtime's (spec run.end-codes). */
export class EffectFailure extends Error {
	readonly code: string
	constructor({ code, message }: EffectError) {
		super(message)
		this.code = code
	}
}

/** Sends an effect that gets an answer. */
export function effect<M extends keyof Effects>(
	run: RunState,
	method: M,
	args: Effects[M]['args'],
): Promise<Reply<M>> {
	return numbered(run, method, args).reply
}

export function numbered<M extends keyof Effects>(
	run: RunState,
	method: M,
	args: Effects[M]['args'],
): { n: number; reply: Promise<Reply<M>> } {
	const n = issue(run, method, args)
	const origin = originHere()
	const reply = new NativePromise<Reply<M>>((resolve, reject) => {
		run.waiting[n] = { resolve: resolve as Waiting['resolve'], reject, origin }
	})
	return { n, reply }
}

/** Sends an effect that gets none; answers its number. `stack` goes along and is no part of what a replay compares. */
export function issue<M extends keyof Effects>(
	run: RunState,
	method: M,
	args: Effects[M]['args'],
	stack = '',
): number {
	const text = stringify(args) as string | undefined
	if (text === undefined) throw refused(`${method}: what it was given cannot be written as JSON`)
	if (text.length > MAX_ARGS_CHARS) throw refused(`${method}: over ${MAX_ARGS_CHARS} characters in one call`)
	if (run.last >= MAX_EFFECTS)
		throw new EffectFailure({ code: 'step_limit_reached', message: `over ${MAX_EFFECTS} calls in one run` })
	if (run.outbox.length + text.length + stack.length > MAX_OUTBOX_CHARS)
		throw refused('too much sent at once')
	const n = run.last + 1
	put(run, itemOf(n, method, text, stack))
	run.last = n
	return n
}

/** Ends the run. `text`: JSON of the output, or of `{code, message}`. */
export function end(run: RunState, ok: boolean, text: string, stack = ''): void {
	if (run.ending !== '') return
	if (text.length > MAX_ARGS_CHARS) {
		ok = false
		text = `{"code":"agent_error","message":"the output is over ${MAX_ARGS_CHARS} characters"}`
	}
	run.ending = itemOf(0, ok ? 'ok' : 'error', text, stack)
}

/** A line of the log that does not become an effect: their number leaves with the turn. */
export function countNotKept(run: RunState): void {
	run.notKept++
}

/** What this turn sent: JSON items with commas between; `!` before them when the run is over. */
export function drain(run: RunState): string {
	const text = left(run)
	const { ending } = run
	if (ending === '') return text
	return text === '' ? `!${ending}` : `!${text},${ending}`
}

/** The same without the end: of a turn that broke a limit. */
export function left(run: RunState): string {
	if (run.notKept > run.notKeptTold) put(run, itemOf(-1, 'log', `${run.notKept}`))
	run.notKeptTold = run.notKept
	const text = run.outbox
	run.outbox = ''
	return text
}

export function deliver(run: RunState, n: number, ok: boolean, json: string, at: number): void {
	const waiter = run.waiting[n]
	if (!waiter) return
	delete run.waiting[n]
	if (run === own.run) setClock(at)
	if (ok) waiter.resolve(parse(json))
	else {
		const failure = new EffectFailure(parse(json) as EffectError)
		putOrigin(failure, waiter.origin)
		waiter.reject(failure)
	}
}

/** Numbers and texts only: an array or object would be written by whatever `toJSON` the owner gave to all of them. */
function itemOf(n: number, kind: string, text: string, stack = ''): string {
	const item = `[${n},${stringify(kind)},${stringify(text)}`
	return stack === '' ? `${item}]` : `${item},${stringify(`${stack}`)}]`
}

function put(run: RunState, item: string): void {
	run.outbox = run.outbox === '' ? item : `${run.outbox},${item}`
}

function refused(message: string): Error {
	return new EffectFailure({ code: 'agent_error', message })
}
