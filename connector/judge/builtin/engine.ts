/** The built-in judge as plain functions of a call: no thread, no clock, no I/O. The same code runs in worker and trainer. */
import type { Calls, Tool } from './calls.ts'
import { choose } from './choice.ts'
import { find } from './find.ts'
import { noul } from './noul.ts'
import { score } from './score.ts'
import { screen } from './screen.ts'
import { verify } from './verify.ts'

export type Engine = { [T in Tool]: (call: Calls[T][0]) => Calls[T][1] }

export function createEngine(): Engine {
	return { verify, screen, find, noul, choice: choose, score }
}
