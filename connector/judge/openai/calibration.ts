/**
 * How far a model’s probabilities are drawn to even odds: a temperature for each model of each server. `berth judge check
 * --calibrate` learns it and keeps it in a file; a model without one gets a cautious default.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

export interface Calibration {
	temperature: number
	/** Questions that it was learned from. */
	questions: number
	/** ISO 8601. */
	at: string
}

/** Models are surer than they are right: 0.98 becomes 0.87. */
export const DEFAULT_TEMPERATURE = 2
/** Forty questions do not prove that a model is right more often than it says. */
const LEAST = 1
const MOST = 8

export function sharpened(shares: readonly number[], temperature: number): number[] {
	const raised = shares.map((p) => p ** (1 / temperature))
	const sum = raised.reduce((a, b) => a + b, 0)
	return raised.map((p) => p / sum)
}

const nameOf = (url: string, model: string): string =>
	`${model} at ${url.replace(/\/+$/, '').replace(/\/v1$/, '')}`

export function readCalibration(file: string | undefined, url: string, model: string): Calibration | null {
	const found = readAll(file)[nameOf(url, model)]
	return found ?? null
}

/** Replaces the file as a whole, so that a host that starts meanwhile reads the old one or the new one. */
export function writeCalibration(file: string, url: string, model: string, value: Calibration): void {
	const all = { ...readAll(file), [nameOf(url, model)]: value }
	mkdirSync(dirname(file), { recursive: true })
	const next = `${file}.${process.pid}`
	writeFileSync(next, `${JSON.stringify(all, null, '\t')}\n`)
	renameSync(next, file)
}

function readAll(file: string | undefined): Record<string, Calibration> {
	if (!file || !existsSync(file)) return {}
	let value: unknown
	try {
		value = JSON.parse(readFileSync(file, 'utf8'))
	} catch {
		throw new Error(`${file} is not JSON: delete it, and run berth judge check --calibrate again.`)
	}
	const entries = Object.entries(value ?? {}).filter((entry): entry is [string, Calibration] => {
		const temperature: unknown = (entry[1] as Partial<Calibration> | null)?.temperature
		return typeof temperature === 'number' && temperature >= LEAST && temperature <= MOST
	})
	return Object.fromEntries(entries)
}

/** Shares of the alternatives at temperature 1, and which one is right. */
export interface Labelled {
	shares: readonly number[]
	right: number
}

/** Few questions say little: the default counts as much as this many of them would. */
const PRIOR_WEIGHT = 4
const STEPS = 60

/** The temperature of the least log loss, held near the default where the questions do not decide. */
export function fitTemperature(rows: readonly Labelled[]): number {
	let best = { temperature: DEFAULT_TEMPERATURE, loss: Number.POSITIVE_INFINITY }
	for (let step = 0; step <= STEPS; step++) {
		const temperature = LEAST * (MOST / LEAST) ** (step / STEPS)
		const loss = rows.reduce(
			(sum, { shares, right }) => sum - Math.log(Math.max(sharpened(shares, temperature)[right]!, 1e-9)),
			PRIOR_WEIGHT * Math.log(temperature / DEFAULT_TEMPERATURE) ** 2,
		)
		if (loss < best.loss) best = { temperature, loss }
	}
	return Math.round(best.temperature * 100) / 100
}
