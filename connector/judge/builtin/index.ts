/**
 * The judge that is always there. Short calls are answered at once on the caller's thread (microseconds to a few
 * milliseconds); long ones go to a worker thread, so that no call holds the event loop.
 */

import { weightsFile } from '../learned/files.ts'
import { modest } from '../screen/weighing.ts'
import type { Judge } from '../types.ts'
import type { Basis, Calls, Tool, Verdict } from './calls.ts'
import { KEPT_BACK } from './choice.ts'
import { createEngine } from './engine.ts'
import { MOST } from './find.ts'
import { loadModels, type Models } from './models.ts'
import { createPool, type PoolSettings } from './pool.ts'
import { keptBack } from './verify.ts'

/** About 500 tokens: under three milliseconds of work. */
const INLINE_UNITS = 2_000
/**
 * The encoder reads these as well, however short they are: up to 45 milliseconds of work (see nearest.ts), of 64 propositions
 * ten times that (see together.ts).
 */
const ENCODED: readonly Tool[] = ['screen', 'find', 'noul', 'choice', 'score']

type Spoken<T> = T & { judge: { backend: string; calibration: string } }

export interface BuiltinJudge extends Judge {
	/** Thresholds of a chain, learned with the weights. */
	sure: Models['tuned']['sure']
	verify(...args: Parameters<Judge['verify']>): Promise<Spoken<{ basis: Basis; results: Verdict[] }>>
}

export function builtinJudge(settings: PoolSettings = {}): BuiltinJudge {
	const weights = settings.weights ?? weightsFile('judge.bin')
	const models = loadModels(weights)
	const engine = createEngine(models)
	const pool = createPool({ ...settings, weights })
	async function ask<T extends Tool>(
		tool: T,
		call: Calls[T][0],
		signal: AbortSignal,
	): Promise<Spoken<Calls[T][1]>> {
		signal.throwIfAborted()
		const units = unitsOf(call)
		const inline = units <= INLINE_UNITS && !ENCODED.includes(tool)
		const answer = inline ? engine[tool](call) : await pool.run(tool, call, units, signal)
		return { ...answer, judge: { backend: 'builtin', calibration: models.calibration } }
	}
	return {
		sure: sureOf(models.tuned.sure),
		verify: (call, signal) => ask('verify', call, signal),
		screen: (call, signal) => ask('screen', call, signal),
		find: (call, signal) => ask('find', call, signal),
		noul: (call, signal) => ask('noul', call, signal),
		choice: (call, signal) => ask('choice', call, signal),
		score: (call, signal) => ask('score', call, signal),
		close: () => pool.close(),
	}
}

/** The thresholds are learned on the models' own shares; what is answered has an even share kept back. */
function sureOf(learned: Models['tuned']['sure']): Models['tuned']['sure'] {
	return {
		...learned,
		verify: keptBack(learned.verify),
		screen: modest(learned.screen),
		find: MOST * learned.find,
		choice: (1 - KEPT_BACK) * learned.choice + KEPT_BACK / COMMON_OPTIONS,
	}
}

/** A question has about so many options. */
const COMMON_OPTIONS = 4

function unitsOf(call: object): number {
	let units = 0
	for (const value of Object.values(call) as (string | string[] | undefined)[]) {
		if (typeof value === 'string') units += value.length
		else for (const part of value ?? []) units += part.length + 16
	}
	return units
}
