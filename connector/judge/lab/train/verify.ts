/** Verdicts on claims: whether the evidence speaks of the claim, then for or against. Learned apart, tuned together. */
import { CLAIM_FEATURES } from '../../builtin/claim.ts'
import type { Tuned } from '../../builtin/models.ts'
import { passages } from '../../builtin/passages.ts'
import { besideOf, weighed } from '../../builtin/verify.ts'
import type { Ensemble } from '../../learned/ensemble.ts'
import { sigmoid } from '../../learned/trees.ts'
import type { Shares } from '../../rules/ruling.ts'
import { least } from '../learn/calibrate.ts'
import type { VerifyRow } from './data.ts'
import {
	columnsOf,
	crossMargins,
	type Example,
	fitPlain,
	settings,
	sureFrom,
	thirdMargins,
	weightsOf,
} from './fit.ts'

/** Features that tell sources apart rather than verdicts: style, not sense. */
const STYLE = [
	'lengthA',
	'lengthB',
	'passages',
	'ratio',
	'sentences',
	'first',
	'question',
	'hedge',
	'sources',
]
const LABELS = ['verified', 'contradicted', 'unsupported']

export function trainVerify(rows: readonly VerifyRow[]): {
	unsupported: Ensemble
	contradicted: Ensemble
	tuned: Tuned['verify']
	sure: number
} {
	const x = rows.map((row) => besideOf(row.claim, passages([row.evidence])).view.features)
	const labels = rows.map((row) => LABELS.indexOf(row.label))
	const folds = rows.map((row) => originOf(row.source))
	const chosen = settings(columnsOf(CLAIM_FEATURES, STYLE), { depth: 3, rounds: 90 })
	const spoken: Example[] = rows.map((_, i) => ({ x: x[i]!, y: labels[i] === 2 ? 1 : 0, fold: folds[i]! }))
	const settled = rows.map((_, i) => i).filter((i) => labels[i] !== 2)
	const against: Example[] = settled.map((i) => ({ x: x[i]!, y: labels[i]!, fold: folds[i]! }))
	const seen = [
		[crossMargins(spoken, chosen, true), crossMargins(against, chosen, true, spoken)],
		[
			thirdMargins(spoken, chosen, true),
			crossMargins(thirds(against, settled), chosen, true, thirds(spoken)),
		],
	] as const
	const parts = seen.flatMap(([unsupported, contradicted]) =>
		rows.map((_, i): Shares => {
			const [u, c] = [sigmoid(unsupported[i]!), sigmoid(contradicted[i]!)]
			return [(1 - u) * (1 - c), (1 - u) * c, u]
		}),
	)
	const twice = <T>(list: readonly T[]) => [...list, ...list]
	const tuned = tune(parts, twice(labels), twice(rows.map((row) => row.source)))
	return {
		unsupported: fitPlain(spoken, chosen, true),
		contradicted: fitPlain(against, chosen, true),
		tuned,
		sure: sureFrom(
			parts.map((list) => weighed(list, tuned)),
			twice(labels),
		),
	}
}

/** Sources of one origin are left out together, and so are those of one kind. */
function originOf(source: string): string {
	if (source.startsWith('scene')) return source
	if (source.startsWith('built')) return 'built'
	if (/^(snli|mnli|conj|med|breaking)/.test(source)) return 'sentences'
	if (/^(jnli|klue|indonli|scitail)/.test(source)) return 'languages'
	return /^(infotabs|fm2)/.test(source) ? 'pages' : source.split('-')[0]!
}

/** The same rows in folds of a third each, by their place among all rows. */
const thirds = (rows: readonly Example[], places?: readonly number[]): Example[] =>
	rows.map((row, i) => ({ ...row, fold: String((places?.[i] ?? i) % 3) }))

/**
 * Multipliers for the best mean balanced accuracy over sources that show two verdicts or more, then the temperature for
 * the best log loss. The grid is narrow on purpose: rows without support are mostly made by rule and easy, so a model
 * trusts "unsupported" too much on any source it has not seen, and the few sources there are cannot say by how much.
 */
function tune(
	parts: readonly Shares[],
	labels: readonly number[],
	sources: readonly string[],
): Tuned['verify'] {
	const grid: number[][] = []
	for (const c of [0.55, 0.7, 0.85]) for (const u of [0.3, 0.4, 0.5]) grid.push([1, c, u])
	const multipliers = least(
		grid as [number[], ...number[][]],
		(one) => -meanRecall(parts, labels, sources, one),
	)
	const weights = weightsOf(
		labels.map((y, i) => ({ y, fold: sources[i]! })),
		false,
	)
	const temperature = least([0.8, 1, 1.2, 1.5, 1.8, 2.2, 2.7, 3.3], (t) =>
		parts.reduce(
			(sum, list, i) =>
				sum - weights[i]! * Math.log(weighed(list, { multipliers, temperature: t })[labels[i]!]! + 1e-9),
			0,
		),
	)
	return { multipliers, temperature }
}

const FEW = 20

function meanRecall(
	parts: readonly Shares[],
	labels: readonly number[],
	sources: readonly string[],
	multipliers: readonly number[],
): number {
	const counts = new Map<string, { all: number[]; hit: number[] }>()
	parts.forEach((list, i) => {
		const count = counts.get(sources[i]!) ?? { all: [0, 0, 0], hit: [0, 0, 0] }
		counts.set(sources[i]!, count)
		const scaled = list.map((p, k) => p * multipliers[k]!)
		count.all[labels[i]!]!++
		if (scaled.indexOf(Math.max(...scaled)) === labels[i]) count.hit[labels[i]!]!++
	})
	const means = [...counts.values()].flatMap(({ all, hit }) => {
		const recalls = all.flatMap((n, k) => (n >= FEW ? [hit[k]! / n] : []))
		return recalls.length > 1 ? [recalls.reduce((a, b) => a + b, 0) / recalls.length] : []
	})
	return means.reduce((a, b) => a + b, 0) / Math.max(1, means.length)
}
