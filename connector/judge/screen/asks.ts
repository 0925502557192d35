/**
 * Whether a sentence asks its reader for something, whatever that is. A request is no attack where a user makes it; in
 * the middle of data it is one. So two more detectors learn what requests look like beside what documents look like,
 * and the model of the whole text learns when that matters.
 */
import { type Linear, margin } from '../learned/linear.ts'
import type { View } from './windows.ts'

/** Views that say how a sentence is built more than what it is about. */
export const ASKING = ['chains', 'words'] as const satisfies View[]
export type Asking = `ask.${(typeof ASKING)[number]}`
export const ASKING_NAMES = ASKING.map((view): Asking => `ask.${view}`)

export const ASK_FEATURES = [
	...ASKING_NAMES.flatMap((name) => ['top', 'second', 'mean', 'out'].map((part) => `${name}.${part}`)),
	'ask.suspect',
	'ask.first',
	'ask.last',
	'ask.share',
]

const LOWEST = -6
/** Beyond this a detector has said all it has to say. */
const SURE = 3

/** `suspect` holds how much each sentence looks like an attack. */
export function askFeatures(
	views: readonly Record<View, Uint32Array>[],
	detectors: Record<Asking, Linear>,
	suspect: ArrayLike<number>,
): number[] {
	const mean = new Float64Array(views.length)
	const pooled = ASKING.flatMap((view) => {
		const model = detectors[`ask.${view}`]
		let [top, second, sum] = [LOWEST, LOWEST, 0]
		views.forEach((windows, i) => {
			const found = margin(model, windows[view])
			mean[i]! += found / ASKING.length
			sum += found
			if (found > top) [top, second] = [found, top]
			else if (found > second) second = found
		})
		const middle = views.length ? sum / views.length : LOWEST
		return [top, second, middle, top - middle]
	})
	let both = 2 * LOWEST
	let asking = 0
	mean.forEach((found, i) => {
		both = Math.max(both, Math.min(found, SURE) + Math.min(suspect[i]!, SURE))
		if (found > 0) asking++
	})
	return [...pooled, both, mean[0] ?? LOWEST, mean.at(-1) ?? LOWEST, asking / Math.max(1, mean.length)]
}
