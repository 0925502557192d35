import type { Dense } from '../../learned/dense.ts'
import { type Ensemble, pick } from '../../learned/ensemble.ts'
import { type BoostSettings, boost, type Examples } from './boost.ts'
import { trainDense } from './dense.ts'

export interface EnsembleSettings {
	boost: BoostSettings
	decay: number
	mix: number
	columns: readonly number[]
}

export function trainEnsemble({ x, y, weights }: Examples, settings: EnsembleSettings): Ensemble {
	const columns = Uint16Array.from(settings.columns)
	const rows = x.map((row) => pick(row, columns))
	return {
		columns,
		trees: boost({ x: rows, y, weights }, settings.boost),
		dense: settings.mix > 0 ? trainDense({ x: rows, y, weights }, settings.decay) : NO_DENSE,
		mix: settings.mix,
		slope: 1,
		offset: 0,
	}
}

/** Where the mix leaves the regression out, none is learned. */
const NO_DENSE: Dense = {
	mean: new Float32Array(),
	scale: new Float32Array(),
	weights: new Float32Array(),
	bias: 0,
}
