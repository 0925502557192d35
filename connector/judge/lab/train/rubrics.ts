/** Places on a rubric's scale: regression of the gold level, scaled to 0…1, for each kind of rubric that has rows. */
import type { Tuned } from '../../builtin/models.ts'
import { ALONE, PAIR, type Rubric, type RubricKind, rubricOf, SUPPORT } from '../../builtin/rubric.ts'
import { levelsAround } from '../../builtin/score.ts'
import { type Ensemble, margin } from '../../learned/ensemble.ts'
import { least } from '../learn/calibrate.ts'
import type { ScoreRow } from './data.ts'
import { columnsOf, crossMargins, type Example, fitPlain, settings } from './fit.ts'

type Learned = Exclude<RubricKind, 'quality'>
const NAMES: Record<Learned, readonly string[]> = {
	pair: PAIR,
	grade: PAIR,
	support: SUPPORT,
	difficulty: ALONE,
}
const RATES: Record<Learned, { rounds: number; rate: number; depth: number }> = {
	pair: { rounds: 300, rate: 0.05, depth: 3 },
	grade: { rounds: 150, rate: 0.08, depth: 4 },
	support: { rounds: 150, rate: 0.08, depth: 4 },
	difficulty: { rounds: 150, rate: 0.08, depth: 4 },
}
/** How much of a reference an answer holds, learned of pairs of sentences: few features, so that it carries over. */
const REACH = [
	'dice',
	'diceNear',
	'bigrams',
	'chars',
	'gained',
	'found',
	'foundHalf',
	'foundBoth',
	'opposed',
	'turned',
]
/** What is not learned is spread wide: the judge has a guess, no more. */
const QUALITY_SPREAD = 0.3

export function trainScore(rows: readonly ScoreRow[]): {
	models: Record<Learned | 'reach', Ensemble>
	spread: Tuned['score']['spread']
} {
	const rubrics = rows.map((row) => ({ row, rubric: rubricOf(row.question, row.text, row.levels.length) }))
	const spread: Tuned['score']['spread'] = {
		pair: 0.2,
		grade: 0.3,
		support: 0.3,
		difficulty: 0.3,
		quality: QUALITY_SPREAD,
	}
	const of = (kind: Learned) => rubrics.filter(({ rubric }) => rubric.kind === kind)
	const models = { reach: trainReach(of('pair').map(toExample)) } as Record<Learned | 'reach', Ensemble>
	for (const kind of Object.keys(NAMES) as Learned[]) {
		const own = of(kind)
		const examples = own.map(toExample)
		const chosen = settings(columnsOf(NAMES[kind], []), { loss: 'square', lambda: 20, ...RATES[kind] })
		models[kind] = fitPlain(examples.length ? examples : [empty(kind)], chosen, false)
		if (!examples.length) continue
		const margins = crossMargins(thirds(examples), chosen, false)
		if (kind === 'grade')
			examples.forEach(({ x }, i) => {
				margins[i] = (margins[i]! + margin(models.reach, x)) / 2
			})
		spread[kind] = least([0.1, 0.13, 0.16, 0.2, 0.25, 0.3, 0.4, 0.5], (width) =>
			own.reduce((cost, { row }, i) => cost + surprise(row, margins[i]!, width), 0),
		)
	}
	return { models, spread }
}

function trainReach(examples: readonly Example[]): Ensemble {
	const columns = PAIR.flatMap((name, i) => (REACH.includes(name) ? [i] : []))
	const chosen = settings(columns, { loss: 'square', rounds: 150, rate: 0.08, depth: 2 })
	return fitPlain(examples.length ? examples : [empty('pair')], chosen, false)
}

const toExample = ({ row, rubric }: { row: ScoreRow; rubric: Rubric }): Example => ({
	x: rubric.features,
	y: row.gold / (row.levels.length - 1),
	fold: row.source,
})

/** Without rows of a kind its model is a constant. */
const empty = (kind: Learned): Example => ({ x: new Float32Array(NAMES[kind].length), y: 0.5, fold: kind })

/** The spread is that of rows of known kinds, so thirds are left out rather than sources. */
const thirds = (examples: readonly Example[]): Example[] =>
	examples.map((example, i) => ({ ...example, fold: String(i % 3) }))

function surprise({ gold, levels }: ScoreRow, place: number, width: number): number {
	const list = levelsAround(Math.max(0, Math.min(1, place)), width, levels.length)
	const low = Math.floor(gold)
	const high = Math.min(levels.length - 1, low + 1)
	const p = list[low]! * (1 - (gold - low)) + list[high]! * (gold - low)
	return -Math.log(p + 1e-6)
}
