/** What all trainers share: weights that keep a large source from drowning a small one, and leave-source-out margins. */

import { type Ensemble, margin } from '../../learned/ensemble.ts'
import { platt } from '../learn/calibrate.ts'
import { type EnsembleSettings, trainEnsemble } from '../learn/ensemble.ts'

export interface Example {
	x: Float32Array
	y: number
	/** Sources of one origin: left out together. */
	fold: string
	/** Several rows of one question share their weight … */
	share?: number
	/** … and stay together when a third of the rows is left out. */
	group?: number
}

const POWER = 0.5

/** Weight of each row: folds count by the root of their size; with `balanced`, both labels weigh the same in all. */
export function weightsOf(
	rows: readonly Pick<Example, 'y' | 'fold' | 'share'>[],
	balanced: boolean,
): Float64Array {
	const key = ({ fold, y }: Pick<Example, 'y' | 'fold'>) => (balanced ? `${fold}\0${y}` : fold)
	const counts = new Map<string, number>()
	for (const row of rows) counts.set(key(row), (counts.get(key(row)) ?? 0) + (row.share ?? 1))
	const totals = new Map<number, number>()
	for (const [name, count] of counts) {
		const label = balanced ? Number(name.split('\0')[1]) : 0
		totals.set(label, (totals.get(label) ?? 0) + count ** POWER)
	}
	const mass = rows.reduce((sum, row) => sum + (row.share ?? 1), 0) / totals.size
	return Float64Array.from(rows, (row) => {
		const count = counts.get(key(row))!
		return ((row.share ?? 1) * mass * count ** POWER) / count / totals.get(balanced ? row.y : 0)!
	})
}

/** Margins of every probe by a model that saw no row of its fold. */
export function crossMargins(
	rows: readonly Example[],
	settings: EnsembleSettings,
	balanced: boolean,
	probes = rows,
): Float64Array {
	const out = new Float64Array(probes.length)
	for (const fold of new Set(probes.map((row) => row.fold))) {
		const rest = rows.filter((row) => row.fold !== fold)
		const model = fitPlain(rest.length ? rest : rows, settings, balanced)
		probes.forEach((row, i) => {
			if (row.fold === fold) out[i] = margin(model, row.x)
		})
	}
	return out
}

export function fitPlain(rows: readonly Example[], settings: EnsembleSettings, balanced: boolean): Ensemble {
	return trainEnsemble(
		{ x: rows.map((row) => row.x), y: rows.map((row) => row.y), weights: weightsOf(rows, balanced) },
		settings,
	)
}

/** Margins by models that missed a third of the rows, whatever their source: what to expect of texts of known kinds. */
export function thirdMargins(
	rows: readonly Example[],
	settings: EnsembleSettings,
	balanced: boolean,
): Float64Array {
	const out = new Float64Array(rows.length)
	for (let third = 0; third < 3; third++) {
		const rest = rows.filter((row, i) => (row.group ?? i) % 3 !== third)
		const model = fitPlain(rest.length ? rest : rows, settings, balanced)
		rows.forEach((row, i) => {
			if ((row.group ?? i) % 3 === third) out[i] = margin(model, row.x)
		})
	}
	return out
}

/**
 * A model of all rows, calibrated on margins of models that had not seen the row. A new text may be of a known kind or
 * of none; the lines through `unseen` margins (their whole
 * source left out) and through `known` ones (a third of the rows left out) are averaged. Only the `telling` rows count
 * for them: examples made for training are no measure of what comes.
 */
export function fitCalibrated(
	rows: readonly Example[],
	settings: EnsembleSettings,
	balanced: boolean,
	kinds: readonly ('unseen' | 'known')[] = ['unseen', 'known'],
	telling: readonly number[] = rows.map((_, i) => i),
): { model: Ensemble; margins: Float64Array } {
	const unseen = kinds.includes('unseen') ? crossMargins(rows, settings, balanced) : null
	const known = kinds.includes('known') ? thirdMargins(rows, settings, balanced) : null
	const measured = telling.map((i) => rows[i]!)
	const weights = weightsOf(measured, false)
	const labels = measured.map((row) => row.y)
	const lines = [unseen, known].flatMap((list) =>
		list
			? [
					platt(
						telling.map((i) => list[i]!),
						labels,
						weights,
					),
				]
			: [],
	)
	const scaling = {
		slope: lines.reduce((sum, { slope }) => sum + slope, 0) / lines.length,
		offset: lines.reduce((sum, { offset }) => sum + offset, 0) / lines.length,
	}
	return { model: { ...fitPlain(rows, settings, balanced), ...scaling }, margins: (known ?? unseen)! }
}

const SEED = 20_261_121

export function settings(
	columns: readonly number[],
	changes: Partial<EnsembleSettings['boost']> & { mix?: number; decay?: number } = {},
): EnsembleSettings {
	const { mix = 0, decay = 0.01, ...boost } = changes
	return {
		columns,
		mix,
		decay,
		boost: {
			loss: 'logistic',
			rounds: 100,
			depth: 4,
			rate: 0.1,
			lambda: 20,
			rows: 0.6,
			columns: 0.4,
			seed: SEED,
			...boost,
		},
	}
}

export const columnsOf = (names: readonly string[], without: readonly string[]): number[] =>
	names.flatMap((name, i) => (without.includes(name.split('.').at(-1)!) || without.includes(name) ? [] : [i]))

/** Wrong answers among those that a chain lets stand without a second opinion, at most: the loss its thresholds are for. */
const ACCEPTED_LOSS = 0.2
const FEWEST_ANSWERS = 20

/** The lowest confidence from which on the answers, taken together, are wrong no more often than is accepted. */
export function sureFrom(lists: readonly (readonly number[])[], labels: readonly number[]): number {
	return surest(
		lists.map((list, i) => ({
			sure: Math.max(...list),
			right: list.indexOf(Math.max(...list)) === labels[i],
		})),
	)
}

export function surest(given: readonly { sure: number; right: boolean }[]): number {
	let wrong = 0
	let threshold = 1
	given
		.toSorted((a, b) => b.sure - a.sure)
		.forEach(({ sure, right }, i) => {
			if (!right) wrong++
			if (i >= FEWEST_ANSWERS && wrong / (i + 1) <= ACCEPTED_LOSS) threshold = sure
		})
	return threshold
}
