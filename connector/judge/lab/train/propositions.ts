/** Probabilities of propositions with a context, and the base rate of those without. */
import { askedOfModel, givenBy, sameness } from '../../builtin/noul.ts'
import { STATED } from '../../builtin/stated.ts'
import { type Products, weighedBy } from '../../builtin/together.ts'
import type { Ruling } from '../../builtin/verify.ts'
import { DIRECTIONS } from '../../encoder/encode.ts'
import { type Ensemble, margin } from '../../learned/ensemble.ts'
import { sigmoid } from '../../learned/trees.ts'
import { trainBeside } from '../learn/beside.ts'
import { platt } from '../learn/calibrate.ts'
import type { NoulRow } from './data.ts'
import { columnsOf, crossMargins, type Example, fitPlain, settings, sureFrom, weightsOf } from './fit.ts'

/** Features that tell sources apart rather than what holds. */
const STYLE = ['passages', 'sources', 'first', 'lengthA', 'lengthB', 'ratio']
/** Collected rows are of few kinds, most of them made from claims: some of each, and each for less. */
const MOST_COLLECTED = 100
const OF_COLLECTED = 0.02
const DECAY = 0.0006

const isScene = (source: string): boolean => source.startsWith('scene')
const familyOf = (source: string): string =>
	isScene(source) ? source : source.replace(/^ctx-/, '').split('-')[0]!

/** A row that no rule decides. */
interface Undecided extends Example {
	source: string
	products: Products
}

export function trainNoul(rows: readonly NoulRow[], pair: Ensemble, ruling: Ruling) {
	const without = rows.filter((row) => !row.context)
	const likeness = { margins: [] as number[], labels: [] as number[] }
	const examples: Undecided[] = []
	for (const row of someOfEach(rows)) {
		const same = sameness(row.proposition, row.context)
		if (same) {
			likeness.margins.push(margin(pair, same))
			likeness.labels.push(row.label)
		} else examples.push(...readOf(row, ruling))
	}
	const chosen = settings(columnsOf(STATED, STYLE), { depth: 3, rounds: 80, mix: 0.5 })
	const margins = crossMargins(examples, chosen, false)
	const both = crossBeside(examples, margins)
	const slope = slopeOf(examples, both)
	return {
		model: { ...fitPlain(examples, chosen, false), slope, offset: 0 },
		together: besideOf(examples, margins),
		baseRate: without.length ? without.reduce((sum, row) => sum + row.label, 0) / without.length : 0.5,
		same: likeness.margins.length
			? platt(
					likeness.margins,
					likeness.labels,
					likeness.labels.map(() => 1),
				)
			: { slope: 8, offset: -6 },
		sure: sureFrom(
			[...both].map((m) => sigmoid(slope * m)).map((p) => [1 - p, p]),
			examples.map(({ y }) => y),
		),
	}
}

type WithContext = NoulRow & { context: string }

/** All scenes, and of each collected source some, evenly spaced. */
function someOfEach(rows: readonly NoulRow[]): WithContext[] {
	const told = rows.filter((row): row is WithContext => Boolean(row.context?.trim()))
	return [...Map.groupBy(told, ({ source }) => source)].flatMap(([source, own]) => {
		const step = isScene(source) ? 1 : Math.max(1, own.length / MOST_COLLECTED)
		return Array.from({ length: Math.floor(own.length / step) }, (_, i) => own[Math.floor(i * step)]!)
	})
}

/** None where a rule decides. */
function readOf({ proposition, context, label, source }: WithContext, ruling: Ruling): Undecided[] {
	const asked = askedOfModel(ruling, proposition, givenBy(context))
	if (typeof asked === 'number') return []
	const { row, products } = asked
	return [
		{
			x: row,
			y: label,
			fold: familyOf(source),
			source,
			products,
			share: isScene(source) ? 1 : OF_COLLECTED,
		},
	]
}

/** What the directions of whole sentences add to the margins. */
function besideOf(examples: readonly Undecided[], margins: ArrayLike<number>): Float32Array {
	const places = examples.flatMap(({ products }, i) => (products ? [i] : []))
	if (places.length === 0) return new Float32Array(DIRECTIONS + 1)
	const own = places.map((i) => examples[i]!)
	return trainBeside(
		{
			rows: own.map(({ products }) => products!),
			y: own.map(({ y }) => y),
			margins: places.map((i) => margins[i]!),
			weights: weightsOf(own, false),
		},
		DECAY,
	)
}

const PARTS = 6

/** Both together, of a row whose fold neither has seen. */
function crossBeside(examples: readonly Undecided[], margins: Float64Array): Float64Array {
	const folds = [...new Set(examples.map(({ fold }) => fold))]
	const partOf = new Map(folds.map((fold, i) => [fold, i % PARTS]))
	const out = margins.slice()
	for (let part = 0; part < PARTS; part++) {
		const rest = examples.flatMap(({ fold }, i) => (partOf.get(fold) === part ? [] : [i]))
		const weights = besideOf(
			rest.map((i) => examples[i]!),
			rest.map((i) => margins[i]!),
		)
		examples.forEach(({ fold, products }, i) => {
			if (partOf.get(fold) === part) out[i]! += weighedBy(weights, products)
		})
	}
	return out
}

/**
 * The slope alone, on sources with both labels, on scenes where there are any: how many statements of a new source hold
 * is not known, and rows of one label only (made by rule) say nothing of doubt. Every margin counts both ways round, which
 * holds the offset at zero.
 */
function slopeOf(rows: readonly Undecided[], margins: Float64Array): number {
	const contradicted = new Set(rows.map(({ source, y }) => `${1 - y} ${source}`))
	const telling = rows.some(({ source }) => isScene(source)) ? isScene : () => true
	const kept = rows.flatMap(({ source, y }, i) =>
		telling(source) && contradicted.has(`${y} ${source}`) ? [i] : [],
	)
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
