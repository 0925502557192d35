/** The trained models, read once per thread. `npm run train` writes them; nothing else may. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { loadWeights, type Numbers } from '../learned/arrays.ts'
import { type Ensemble, unpackEnsemble } from '../learned/ensemble.ts'
import { unpackLinear } from '../learned/linear.ts'
import { type Sense, unpackSense } from '../learned/sense.ts'
import { DETECTORS, type Detectors } from '../screen/reading.ts'

/** Every ensemble by name. */
export const ENSEMBLES = [
	'unsupported',
	'contradicted',
	'injection',
	'relevance',
	'find',
	'noul',
	'choice',
	'gate',
	'pair',
	'grade',
	'reach',
	'support',
	'difficulty',
] as const
export type EnsembleName = (typeof ENSEMBLES)[number]

/** Single numbers chosen on sources not trained on. */
export interface Tuned {
	verify: { multipliers: number[]; temperature: number }
	screen: { threshold: number; span: number }
	noul: { baseRate: number; same: { slope: number; offset: number } }
	choice: { temperature: number }
	score: { spread: Record<'pair' | 'grade' | 'support' | 'difficulty' | 'quality', number> }
	/** Confidence from which on the built-in judge is not second-guessed in a chain, by tool. */
	sure: Record<'verify' | 'screen' | 'find' | 'noul' | 'choice' | 'score', number>
}

export interface Models {
	ensembles: Record<EnsembleName, Ensemble>
	detectors: Detectors
	/** Of the encoder's directions, for propositions (see together.ts). */
	together: Float32Array
	/** Of whole sentences, for injection (see sensed.ts). */
	sense: Sense
	tuned: Tuned
	/** Changes with every weight of `judge.bin`. */
	calibration: string
}

export function loadModels(file: URL | string): Models {
	const { meta, arrays } = loadWeights(file)
	const digest = createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 8)
	return {
		ensembles: Object.fromEntries(
			ENSEMBLES.map((name) => [name, unpackEnsemble(name, arrays)]),
		) as Models['ensembles'],
		detectors: detectorsIn(arrays),
		together: unpackLinear('together', arrays).weights,
		sense: unpackSense('sense', arrays),
		tuned: meta.tuned as Tuned,
		calibration: `builtin-${digest}`,
	}
}

export const detectorsIn = (arrays: Readonly<Record<string, Numbers>>): Detectors =>
	Object.fromEntries(DETECTORS.map((name) => [name, unpackLinear(`detect.${name}`, arrays)])) as Detectors
