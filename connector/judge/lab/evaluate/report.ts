/** The evaluation as Markdown: a summary against the aims, then every source, then speed. */
import type { AttackLine } from './attacks.ts'
import type { Bin } from './metrics.ts'
import { type Everyday, probeTables, worstErrors } from './probe-page.ts'
import type { Speed } from './speed.ts'

export interface Line {
	tool: string
	/** A source, `mean of sources` or `all rows`. */
	source: string
	rows: number
	measure: string
	value: number
	low: number
	high: number
	naive: number
}

export interface Report {
	judge: string
	data: string
	lines: Line[]
	bins: Record<string, Bin[]>
	speed: Speed[]
	attacks: AttackLine[]
	everyday?: Everyday
}

/** A name from a row, inside a table. */
const cell = (text: string) => text.replace(/\s+/g, ' ').replaceAll('|', '\\|')
const range = (low: number, high: number) => (Number.isFinite(low) ? `${figure(low)} – ${figure(high)}` : '–')
const figure = (value: number) => (Number.isFinite(value) ? value.toFixed(3) : '–')

export function markdown({ judge, data, lines, speed, attacks, everyday }: Report): string {
	const over = lines.filter(({ source }) => source === MEAN || source === ALL)
	const each = lines.filter(({ source }) => source !== MEAN && source !== ALL)
	return [
		`# The judge \`${judge}\` on ${data}`,
		'',
		...(everyday ? [...probeTables(everyday), ...worstErrors(everyday.probed)] : []),
		'## Over all sources',
		...table(over),
		'## By source',
		...table(each),
		...speedTable(speed),
		...attackTable(attacks),
	].join('\n')
}

function speedTable(speed: readonly Speed[]): string[] {
	if (!speed.length) return []
	const rows = speed.map(
		({ what, median, worst, cpu }) =>
			`| ${what} | ${cpu?.toFixed(2) ?? '–'} | ${median.toFixed(2)} | ${worst.toFixed(2)} |`,
	)
	return [
		'## Speed, in milliseconds',
		'',
		'| what | processor, median | clock, median | worst |',
		'|-|-:|-:|-:|',
		...rows,
		'',
	]
}

function attackTable(attacks: readonly AttackLine[]): string[] {
	if (!attacks.length) return []
	const rows = attacks.map(
		({ disguise, words, before, after }) =>
			`| ${disguise} | ${figure(words)} | ${figure(before)} | ${figure(after)} |`,
	)
	const head = '| disguise | flagged by a list of words | without normalisation | flagged |'
	return ['## Attacks on the judge', '', head, '|-|-:|-:|-:|', ...rows, '']
}

export const MEAN = 'mean of sources'
export const ALL = 'all rows'

function table(lines: readonly Line[]): string[] {
	return [
		'',
		'| tool | source | rows | measure | value | 95 % | naive |',
		'|-|-|-:|-|-:|-|-:|',
		...lines.map(
			({ tool, source, rows, measure, value, low, high, naive }) =>
				`| ${tool} | ${cell(source)} | ${rows} | ${measure} | ${figure(value)} | ${range(low, high)} | ${figure(naive)} |`,
		),
		'',
	]
}

const SIDE = 220
const PAD = 28

/** What was said against what came true; the area of a dot is its share of the answers. */
export function reliabilityPlot(title: string, bins: readonly Bin[]): string {
	const total = bins.reduce((sum, { count }) => sum + count, 0) || 1
	const x = (value: number) => (PAD + value * SIDE).toFixed(1)
	const y = (value: number) => (PAD + (1 - value) * SIDE).toFixed(1)
	const dots = bins.map(
		({ said, was, count }) =>
			`<circle cx="${x(said)}" cy="${y(was)}" r="${(2 + 12 * Math.sqrt(count / total)).toFixed(1)}"/>`,
	)
	const size = SIDE + 2 * PAD
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" font-family="sans-serif" font-size="11">`,
		`<rect x="${PAD}" y="${PAD}" width="${SIDE}" height="${SIDE}" fill="none" stroke="#999"/>`,
		`<line x1="${x(0)}" y1="${y(0)}" x2="${x(1)}" y2="${y(1)}" stroke="#999" stroke-dasharray="4"/>`,
		`<g fill="#27c" fill-opacity=".6">${dots.join('')}</g>`,
		`<text x="${PAD}" y="${PAD - 10}">${title}: said (across) and came true (up)</text>`,
		'</svg>',
		'',
	].join('\n')
}
