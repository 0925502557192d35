/**
 * Measures a judge on labelled rows: `npm run evaluate [-- --judge builtin --data DIR --split dev --held-out --weights
 * FILE --limit N --plots DIR --json --no-speed --no-probes --results FILE]`. Any folder of the same schemas will do; without a split `dev` (or `dev-2`), all
 * its splits count. `--held-out` keeps only the sources named in connector/judge/lab/train/held-out.ts, of all splits; give it weights
 * trained without them. `--results` writes RESULTS.md: the held-out sources by such weights, the dev split by the shipped.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { progress } from '../../../../.tools/progress.mjs'
import { createJudge, type Judge } from '../../index.ts'
import { weightsFile } from '../../learned/files.ts'
import { DataError, type Rows, rowsOf, splitsOf } from '../train/data.ts'
import { HELD_OUT } from '../train/held-out.ts'
import { measureAttacks } from './attacks.ts'
import { interval, reliability } from './metrics.ts'
import { naiveJudge } from './naive.ts'
import { probe } from './probes.ts'
import { ALL, type Line, MEAN, markdown, type Report, reliabilityPlot } from './report.ts'
import { resultsPage } from './results.ts'
import { measureSpeed } from './speed.ts'
import { MEASURES, type Measure, type Measured } from './tools.ts'
import { twists } from './twists.ts'

const DRAWS = 200

export interface EvaluateSettings {
	data: string
	splits: string[]
	heldOut: boolean
	limit: number
	speed: boolean
	/** Ask the everyday probes as well. */
	probes: boolean
	/** Weights that the column without normalisation is made with. */
	weights: URL | string
	/** Told which tool is measured now, and how many have been. */
	told?(tool: string, done: number): void
}

export async function evaluate(judge: Judge, name: string, settings: EvaluateSettings): Promise<Report> {
	const { signal } = new AbortController()
	const lines: Line[] = []
	const bins: Report['bins'] = {}
	for (const [done, tool] of (Object.keys(MEASURES) as Measure[]).entries()) {
		const rows = keptRows(tool, settings)
		if (!rows.length) continue
		settings.told?.(`${tool}: ${rows.length} rows`, done)
		const ask = MEASURES[tool] as (
			judge: Judge,
			rows: readonly unknown[],
			signal: AbortSignal,
		) => Promise<Measured>
		const [measured, naive] = [await ask(judge, rows, signal), await ask(naiveJudge(), rows, signal)]
		if (!measured.sources.length) continue
		lines.push(...linesOf(tool, measured, naive))
		if (measured.said.length) bins[tool] = reliability(measured.said, measured.was)
	}
	if (!lines.length) throw new DataError(`No rows in ${settings.data} are of the sources asked for.`)
	return {
		judge: name,
		data: settings.heldOut ? 'held-out sources' : settings.splits.join(' + '),
		lines,
		bins,
		speed: settings.speed ? await measureSpeed(judge, signal) : [],
		attacks: settings.speed ? await measureAttacks(judge, settings.weights, signal) : [],
		...(settings.probes
			? { everyday: { probed: await probe(judge, signal), twisted: await twists(judge, signal) } }
			: {}),
	}
}

function keptRows(tool: Measure, { data, splits, heldOut, limit }: EvaluateSettings): unknown[] {
	const file: keyof Rows = tool === 'relevance' ? 'screen' : tool
	const counts = new Map<string, number>()
	return rowsOf(data, file, splits).filter(({ source }) => {
		if (heldOut && !HELD_OUT[file].includes(source)) return false
		const count = (counts.get(source) ?? 0) + 1
		counts.set(source, count)
		return count <= limit
	})
}

function linesOf(tool: string, measured: Measured, naive: Measured): Line[] {
	const groups = new Map<string, number[]>()
	measured.sources.forEach((source, i) => {
		const group = groups.get(source)
		if (group) group.push(i)
		else groups.set(source, [i])
	})
	const all = measured.sources.map((_, i) => i)
	const lines: Line[] = []
	for (const [measure, run] of Object.entries(measured.measures)) {
		const floor = naive.measures[measure]!
		const line = (source: string, rows: readonly number[]): Line => {
			const value = run(rows)
			const [low, high] = Number.isFinite(value)
				? interval(rows.length, DRAWS, (drawn) => run(drawn.map((i) => rows[i]!)))
				: [Number.NaN, Number.NaN]
			return { tool, source, rows: rows.length, measure, value, low, high, naive: floor(rows) }
		}
		const each = [...groups]
			.map(([source, rows]) => line(source, rows))
			.filter(({ value }) => Number.isFinite(value))
		const mean = (key: 'value' | 'naive') =>
			each.length ? each.reduce((sum, one) => sum + one[key], 0) / each.length : Number.NaN
		lines.push(line(ALL, all))
		lines.push({
			tool,
			source: MEAN,
			rows: each.length,
			measure,
			value: mean('value'),
			low: Number.NaN,
			high: Number.NaN,
			naive: mean('naive'),
		})
		lines.push(...each)
	}
	return lines
}

/** `dev`, and the instalments after it: `dev-2`. */
const isDev = (split: string): boolean => /^dev(-\d+)?$/.test(split)

/** The splits asked for, or those there are; one that no tool has is an error. */
function splitsFrom(data: string, asked: string | undefined, all: boolean): string[] {
	const there = splitsOf(data)
	if (!there.length) throw new DataError(`No rows in ${data}: expected <tool>/<split>.jsonl or .jsonl.gz.`)
	const splits = asked?.split(',') ?? (there.some(isDev) && !all ? there.filter(isDev) : there)
	const absent = splits.find((split) => !there.includes(split))
	if (absent !== undefined)
		throw new DataError(`No split "${absent}" in ${data}: there are ${there.join(', ')}.`)
	return splits
}

function settingsFrom(args: string[]) {
	const { values } = parseArgs({
		args,
		options: {
			judge: { type: 'string', default: process.env.GUARD_JUDGE ?? 'builtin' },
			data: {
				type: 'string',
				default: fileURLToPath(new URL('../../../../../shared/guard-data', import.meta.url)),
			},
			split: { type: 'string' },
			'held-out': { type: 'boolean', default: false },
			weights: { type: 'string' },
			limit: { type: 'string', default: '1000000' },
			plots: { type: 'string' },
			results: { type: 'string' },
			json: { type: 'boolean', default: false },
			speed: { type: 'boolean', default: true },
			probes: { type: 'boolean', default: true },
		},
		allowNegative: true,
	})
	const limit = Number(values.limit)
	if (!(limit >= 1)) throw new DataError(`--limit takes a number of rows, not "${values.limit}".`)
	if (values.results && !values.weights)
		throw new DataError(
			'--results needs --weights FILE, as `npm run train -- --hold-out --out FILE` makes them.',
		)
	if (values.plots) mkdirSync(values.plots, { recursive: true })
	return { ...values, limit, splits: splitsFrom(values.data, values.split, values['held-out']) }
}

async function opened({ judge, weights }: { judge: string; weights?: string | undefined }): Promise<Judge> {
	const { GUARD_JUDGE_URL, GUARD_JUDGE_MODEL, GUARD_JUDGE_KEY, GUARD_JUDGE_DIR } = process.env
	return createJudge({
		backends: judge.split(','),
		...(weights ? { weights } : {}),
		...(GUARD_JUDGE_URL ? { url: GUARD_JUDGE_URL } : {}),
		...(GUARD_JUDGE_MODEL ? { model: GUARD_JUDGE_MODEL } : {}),
		...(GUARD_JUDGE_KEY ? { key: GUARD_JUDGE_KEY } : {}),
		...(GUARD_JUDGE_DIR ? { dir: GUARD_JUDGE_DIR } : {}),
	})
}

type Values = ReturnType<typeof settingsFrom>

async function measured(values: Values, judge: Judge): Promise<Report> {
	const shown = progress('evaluate: tools measured', Object.keys(MEASURES).length)
	const report = await evaluate(judge, values.judge, {
		told: (tool, done) => shown.at(done, tool),
		data: values.data,
		splits: values.splits,
		heldOut: values['held-out'],
		limit: values.limit,
		speed: values.speed,
		probes: values.probes,
		weights: values.weights ?? weightsFile('judge.bin'),
	})
	shown.at(Object.keys(MEASURES).length)
	shown.end()
	return report
}

async function main(values: Values, judge: Judge): Promise<void> {
	if (values.results) return writeResults(values, judge, values.results)
	const report = await measured(values, judge)
	for (const [tool, bins] of Object.entries(values.plots ? report.bins : {}))
		writeFileSync(join(values.plots!, `${tool}.svg`), reliabilityPlot(tool, bins))
	console.log(values.json ? JSON.stringify(report, null, '\t') : markdown(report))
}

/** `judge` answers with the weights asked for; the dev split is answered with the shipped ones. */
async function writeResults(values: Values, judge: Judge, file: string): Promise<void> {
	const all = splitsFrom(values.data, undefined, true)
	const heldOut = await measured(
		{ ...values, 'held-out': true, speed: false, probes: false, splits: all },
		judge,
	)
	const shipped = await createJudge({ backends: ['builtin'] })
	try {
		const splits = splitsFrom(values.data, undefined, false)
		const dev = await measured({ ...values, 'held-out': false, splits, weights: undefined }, shipped)
		writeFileSync(file, resultsPage(heldOut, dev))
	} finally {
		await shipped.close()
	}
}

if (import.meta.main) {
	let judge: Judge | undefined
	try {
		const values = settingsFrom(process.argv.slice(2))
		judge = await opened(values)
		await main(values, judge)
	} catch (error) {
		// What was asked for cannot be had: a reason, not a stack. Once the judge answers, only its rows can be at fault.
		if (!(error instanceof Error) || (judge && !(error instanceof DataError))) throw error
		console.error(error.message)
		process.exitCode = 1
	} finally {
		await judge?.close()
	}
}
