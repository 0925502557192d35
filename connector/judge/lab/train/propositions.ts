/** Probabilities of propositions with a context, and the base rate of those without. */
import { CLAIM_FEATURES } from '../../builtin/claim.ts'
import { propositionFeatures, sameness } from '../../builtin/noul.ts'
import { passages } from '../../builtin/passages.ts'
import { type Ensemble, margin } from '../../learned/ensemble.ts'
import { sigmoid } from '../../learned/trees.ts'
import { platt } from '../learn/calibrate.ts'
import type { NoulRow } from './data.ts'
import { columnsOf, crossMargins, type Example, fitPlain, settings, sureFrom, weightsOf } from './fit.ts'

const family = (source: string) => source.replace(/^ctx-/, '').split('-')[0]!

export function trainNoul(rows: readonly NoulRow[], pair: Ensemble) {
	const without = rows.filter((row) => !row.context)
	const likeness = { margins: [] as number[], labels: [] as number[] }
	const examples: (Example & { source: string })[] = []
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
				source: row.source,
			})
	}
	const chosen = settings(
		columnsOf(CLAIM_FEATURES, ['passages', 'sources', 'first', 'lengthA', 'lengthB', 'ratio']),
		{ depth: 3, rounds: 80 },
	)
	const margins = crossMargins(examples, chosen, false)
	const model = { ...fitPlain(examples, chosen, false), slope: slopeOf(examples, margins), offset: 0 }
	const lists = [...margins].map((m) => sigmoid(model.slope * m)).map((p) => [1 - p, p])
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

/**
 * The slope alone, on sources with both labels: how many statements of a new source hold is not known, and rows of one
 * label only (made by rule) say nothing of doubt. Every margin counts both ways round, which holds the offset at zero.
 */
function slopeOf(rows: readonly (Example & { source: string })[], margins: Float64Array): number {
	const contradicted = new Set(rows.map(({ source, y }) => `${1 - y} ${source}`))
	const kept = rows.flatMap(({ source, y }, i) => (contradicted.has(`${y} ${source}`) ? [i] : []))
	if (!kept.length) return 1
	const weights = weightsOf(
		kept.map((i) => rows[i]!),
		false,
	)
	return platt(
		[...kept.map((i) => margins[i]!), ...kept.map((i) => -margins[i]!)],
		[...kept.map((i) => rows[i]!.y), ...kept.map((i) => 1 - rows[i]!.y)],
		[...weights, ...weights],
	).slope
}
