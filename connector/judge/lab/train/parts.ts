/** What is trained, part by part, most of them a tool's: each part takes rows and gives models and the single numbers that go with them. */
import { detectorsIn, type EnsembleName, type Tuned } from '../../builtin/models.ts'
import type { Numbers } from '../../learned/arrays.ts'
import type { Ensemble } from '../../learned/ensemble.ts'
import { packLinear } from '../../learned/linear.ts'
import { packSense } from '../../learned/sense.ts'
import { DETECTORS } from '../../screen/reading.ts'
import type { Rows } from './data.ts'
import { sureFrom } from './fit.ts'
import { trainNoul } from './propositions.ts'
import { trainChoice, trainFind } from './ranking.ts'
import { trainScore } from './rubrics.ts'
import { trainRelevance, trainScreen } from './screen.ts'
import { trainSenseOf } from './sense.ts'
import { trainVerify } from './verify.ts'

export interface Part {
	ensembles: Partial<Record<EnsembleName, Ensemble>>
	arrays?: Record<string, Numbers>
	tuned: Partial<Omit<Tuned, 'sure'>>
	/** Confidence from which on a chain asks no further, by tool. */
	sure?: Partial<Tuned['sure']>
}

type RowsOf = <T extends keyof Rows>(tool: T) => Rows[T][]
/** An ensemble of a part before, or of the weights that are kept. */
type Before = (name: EnsembleName) => Ensemble
type Arrays = Readonly<Record<string, Numbers>>

/** In this order: `noul` reads what `score` and `verify` learned, `sense` what `screen` did. */
export const PARTS: Record<
	string,
	(rows: RowsOf, before: Before, tuned: () => Tuned, arrays: Arrays) => Part
> = {
	score: (rows) => {
		const { models, spread } = trainScore(rows('score'))
		return { ensembles: models, tuned: { score: { spread } }, sure: { score: 0.5 } }
	},
	verify: (rows) => {
		const { unsupported, contradicted, tuned, sure } = trainVerify(rows('verify'))
		return { ensembles: { unsupported, contradicted }, tuned: { verify: tuned }, sure: { verify: sure } }
	},
	noul: (rows, before, tuned) => {
		const ensembles = { unsupported: before('unsupported'), contradicted: before('contradicted') }
		const ruling = { ensembles, tuned: tuned() }
		const { model, together, baseRate, same, sure } = trainNoul(rows('noul'), before('pair'), ruling)
		return {
			ensembles: { noul: model },
			arrays: packLinear('together', { weights: together }),
			tuned: { noul: { baseRate, same } },
			sure: { noul: sure },
		}
	},
	find: (rows) => {
		const { model, sure } = trainFind(rows('find'))
		return { ensembles: { find: model }, tuned: {}, sure: { find: sure } }
	},
	choice: (rows) => {
		const { choice, gate, temperature, lists, answers } = trainChoice(rows('choice'))
		return {
			ensembles: { choice, gate },
			tuned: { choice: { temperature } },
			sure: { choice: sureFrom(lists, answers) },
		}
	},
	relevance: (rows) => ({ ensembles: { relevance: trainRelevance(rows('screen')) }, tuned: {} }),
	screen: (rows) => {
		const { detectors, injection, threshold } = trainScreen(rows('screen'))
		return {
			ensembles: { injection },
			arrays: Object.assign(
				{},
				...DETECTORS.map((name) => packLinear(`detect.${name}`, detectors[name])),
			) as Record<string, Numbers>,
			tuned: { screen: { threshold, span: 0.5 } },
			sure: { screen: 0.9 },
		}
	},
	sense: (rows, _before, _tuned, arrays) => {
		const sense = trainSenseOf(rows('screen'), detectorsIn(arrays))
		return { ensembles: {}, arrays: packSense('sense', sense), tuned: {} }
	},
}
