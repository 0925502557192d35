/**
 * Measures a judge on labelled rows: `npm run evaluate [-- --judge builtin --data DIR --split dev --held-out --weights
 * FILE --limit N --plots DIR --json --no-speed]`. Any folder of the same schemas will do. `--held-out` keeps only the sources
 * named in train/held-out.ts, of all splits; give it weights trained without them.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createJudge, type Judge } from '../index.ts'
import { weightsFile } from '../learn/files.ts'
import { DataError, loadRows, type Rows, type Split } from '../train/data.ts'
import { HELD_OUT } from '../train/held-out.ts'
import { measureAttacks } from './attacks.ts'
import { interval, reliability } from './metrics.ts'
import { naiveJudge } from './naive.ts'
import { ALL, type Line, MEAN, markdown, type Report, reliabilityPlot } from './report.ts'
import { measureSpeed } from './speed.ts'
import { MEASURES, type Measure, type Measured } from './tools.ts'

const DRAWS = 200

export interface EvaluateSettings {
	data: string
	splits: Split[]
	heldOut: boolean
	limit: number
	speed: boolean
	/** Weights that the column without normalisation is made with. */
	weights: URL | string
}

export async function evaluate(judge: Judge, name: string, settings: EvaluateSettings): Promise<Report> {
	const { signal } = new AbortController()
	const lines: Line[] = []
	const bins: Report['bins'] = {}
	for (const tool of Object.keys(MEASURES) as Measure[]) {
		const rows = rowsOf(tool, settings)
		if (!rows.length) continue
		const ask = MEASURES[tool] as (
			judge: Judge,
			rows: readonly unknown[],
			signal: AbortSignal,
		) => Promise<Measured>
		const [measured, naive] = [await ask(judge, rows, signal), await ask(naiveJudge(), rows, signal)]
		lines.push(...linesOf(tool, measured, naive))
		if (measured.said.length) bins[tool] = reliability(measured.said, measured.was)
	}
	if (!lines.length)
		throw new DataError(`No rows in ${settings.data}: expected <tool>/<split>.jsonl or .jsonl.gz.`)
	return {
		judge: name,
		data: settings.heldOut ? 'held-out sources' : settings.splits.join(' + '),
		lines,
		bins,
		speed: settings.speed ? await measureSpeed(judge, signal) : [],
		attacks: settings.speed ? await measureAttacks(judge, settings.weights, signal) : [],
	}
}

function rowsOf(tool: Measure, { data, splits, heldOut, limit }: EvaluateSettings): unknown[] {
	const file: keyof Rows = tool === 'relevance' ? 'screen' : tool
	if (
		!['', '.gz'].some((end) => splits.some((split) => existsSync(join(data, file, `${split}.jsonl${end}`))))
	)
		return []
	const counts = new Map<string, number>()
	return loadRows(data, file, splits).filter(({ source }) => {
		if (heldOut && !HELD_OUT[file].includes(source)) return false
		const count = (counts.get(source) ?? 0) + 1
		counts.set(source, count)
		return count <= limit
	})
}

function linesOf(tool: string, measured: Measured, naive: Measured): Line[] {
	const groups = new Map<string, number[]>()
	measured.sources.forEach((source, i) => {
		groups.set(source, [...(groups.get(source) ?? []), i])
	})
	const all = measured.sources.map((_, i) => i)
	const lines: Line[] = []
	for (const [measure, run] of Object.entries(measured.measures)) {
		const floor = naive.measures[measure]!
		const line = (source: string, rows: readonly number[]): Line => {
			const [low, high] = interval(rows.length, DRAWS, (drawn) => run(drawn.map((i) => rows[i]!)))
			return { tool, source, rows: rows.length, measure, value: run(rows), low, high, naive: floor(rows) }
		}
		const each = [...groups]
			.map(([source, rows]) => line(source, rows))
			.filter(({ value }) => Number.isFinite(value))
		const mean = (key: 'value' | 'naive') =>
			each.reduce((sum, one) => sum + one[key], 0) / Math.max(1, each.length)
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

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			judge: { type: 'string', default: process.env.GUARD_JUDGE ?? 'builtin' },
			data: {
				type: 'string',
				default: fileURLToPath(new URL('../../../../shared/guard-data', import.meta.url)),
			},
			split: { type: 'string', default: 'dev' },
			'held-out': { type: 'boolean', default: false },
			weights: { type: 'string' },
			limit: { type: 'string', default: '1000000' },
			plots: { type: 'string' },
			json: { type: 'boolean', default: false },
			speed: { type: 'boolean', default: true },
		},
		allowNegative: true,
	})
	const judge = await createJudge({
		backends: values.judge.split(','),
		...(values.weights ? { weights: values.weights } : {}),
		...(process.env.GUARD_JUDGE_URL ? { url: process.env.GUARD_JUDGE_URL } : {}),
		...(process.env.GUARD_JUDGE_MODEL ? { model: process.env.GUARD_JUDGE_MODEL } : {}),
		...(process.env.GUARD_JUDGE_KEY ? { key: process.env.GUARD_JUDGE_KEY } : {}),
		...(process.env.GUARD_JUDGE_DIR ? { dir: process.env.GUARD_JUDGE_DIR } : {}),
	})
	try {
		const splits = (values['held-out'] ? ['train', 'dev'] : values.split.split(',')) as Split[]
		const report = await evaluate(judge, values.judge, {
			data: values.data,
			splits,
			heldOut: values['held-out'],
			limit: Number(values.limit),
			speed: values.speed,
			weights: values.weights ?? weightsFile('judge.bin'),
		})
		if (values.plots) {
			mkdirSync(values.plots, { recursive: true })
			for (const [tool, bins] of Object.entries(report.bins))
				writeFileSync(join(values.plots, `${tool}.svg`), reliabilityPlot(tool, bins))
		}
		console.log(values.json ? JSON.stringify(report, null, '\t') : markdown(report))
	} finally {
		await judge.close()
	}
}

if (import.meta.main) {
	try {
		await main()
	} catch (error) {
		if (!(error instanceof DataError)) throw error
		console.error(error.message)
		process.exitCode = 1
	}
}
