/**
 * A context that runs of one agent without code share. Nothing of the owner's executes in it: prompt, skills, inputs and
 * answers are data. Each run is an object that only functions for that run are given, found by the host's number. The
 * built-in objects are frozen before the first run, and no text can become code.
 */
import type { GuestAgent } from '../../bundles/index.ts'
import { deliver, drain, EffectFailure } from './bridge.ts'
import { newRun, type RunState } from './state.ts'

const { parse } = JSON
const { deleteProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect
const { freeze } = Object
const FUNCTIONS = [() => {}, async () => {}, function* () {}, async function* () {}]
/** Their prototypes hang on no global name. */
const ITERATORS = [
	''[Symbol.iterator](),
	[].values(),
	new Map().values(),
	new Set().values(),
	''.matchAll(/x/g),
]

let agent: GuestAgent | undefined
const runs = new Map<number, RunState>()

/** Answers `shared`, once: a guest program that cannot do this answers nothing. */
export function share(text: string): string {
	for (const kind of FUNCTIONS) deleteProperty(getPrototypeOf(kind) as object, 'constructor')
	for (const name of ['eval', 'Function', '__berth']) deleteProperty(globalThis, name)
	const given = parse(text) as GuestAgent
	freezeAll([globalThis, ...FUNCTIONS, ...ITERATORS, EffectFailure, given])
	agent = given
	return 'shared'
}

export function start(id: number, inputs: string, execute: (run: RunState) => void): void {
	if (!agent || runs.has(id)) return
	const run = newRun(agent, parse(inputs) as Record<string, unknown>)
	runs.set(id, run)
	execute(run)
}

export function answer(id: number, n: number, ok: boolean, json: string): void {
	const run = runs.get(id)
	if (run) deliver(run, n, ok, json, 0)
}

/** What a run's turn came to. A run that is over leaves with it. */
export function take(id: number): string {
	const run = runs.get(id)
	if (!run) return ''
	if (run.ending !== '') runs.delete(id)
	return drain(run)
}

export function forget(id: number): void {
	runs.delete(id)
}

/** These and everything that can be reached from them. */
function freezeAll(begin: object[]): void {
	const seen = new Set<unknown>()
	const next: unknown[] = [...begin]
	while (next.length > 0) {
		const value = next.pop()
		if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value))
			continue
		seen.add(value)
		next.push(getPrototypeOf(value))
		for (const key of ownKeys(value)) {
			const { value: held, get, set } = getOwnPropertyDescriptor(value, key) ?? {}
			next.push(held, get, set)
		}
		freeze(value)
	}
}
