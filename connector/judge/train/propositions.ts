/** Probabilities of propositions with a context, and the base rate of those without. */
import { CLAIM_FEATURES } from '../builtin/claim.ts'
import { propositionFeatures, sameness } from '../builtin/noul.ts'
import { passages } from '../builtin/passages.ts'
import { platt } from '../learn/calibrate.ts'
import { type Ensemble, margin } from '../learn/ensemble.ts'
import { sigmoid } from '../learn/trees.ts'
import type { NoulRow } from './data.ts'
import { columnsOf, type Example, fitCalibrated, settings, sureFrom } from './fit.ts'

const family = (source: string) => source.replace(/^ctx-/, '').split('-')[0]!

export function trainNoul(rows: readonly NoulRow[], pair: Ensemble) {
	const without = rows.filter((row) => !row.context)
	const likeness = { margins: [] as number[], labels: [] as number[] }
	const examples: Example[] = []
	for (const row of rows) {
		if (!row.context) continue
		const same = sameness(row.proposition, row.context)
		if (same) {
			likeness.margins.push(margin(pair, same))
			likeness.labels.push(row.label)
		} else
			examples.push({
				x: propositionFeatures(row.proposition, passages([row.context])),
				y: row.label,
				fold: family(row.source),
			})
	}
	const chosen = settings(
		columnsOf(CLAIM_FEATURES, ['passages', 'sources', 'first', 'lengthA', 'lengthB', 'ratio']),
		{ depth: 3, rounds: 80 },
	)
	const { model, margins } = fitCalibrated(examples, chosen, false, ['unseen'])
	const lists = [...margins].map((m) => sigmoid(model.slope * m + model.offset)).map((p) => [1 - p, p])
	return {
		model,
		baseRate: without.length ? without.reduce((sum, row) => sum + row.label, 0) / without.length : 0.5,
		same: likeness.margins.length
			? platt(
					likeness.margins,
					likeness.labels,
					likeness.labels.map(() => 1),
				)
			: { slope: 8, offset: -6 },
		sure: sureFrom(
			lists,
			examples.map(({ y }) => y),
		),
	}
}
