/** The built-in judge as plain functions of a call: no thread, no clock, no I/O. Worker, trainer and evaluation share it. */
import type { Calls, Tool } from './calls.ts'
import { choose } from './choice.ts'
import { find } from './find.ts'
import type { Models } from './models.ts'
import { noul } from './noul.ts'
import { score } from './score.ts'
import { screen } from './screen.ts'
import { verify } from './verify.ts'

export type Engine = { [T in Tool]: (call: Calls[T][0]) => Calls[T][1] }

export function createEngine(models: Models): Engine {
	return {
		verify: (call) => verify(models, call),
		screen: (call) => screen(models, call),
		find: (call) => find(models, call),
		noul: (call) => noul(models, call),
		choice: (call) => choose(models, call),
		score: (call) => score(models, call),
	}
}
