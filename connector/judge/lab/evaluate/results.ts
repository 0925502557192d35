/** RESULTS.md beside the judge's page: held-out sources by weights that never saw them, and the dev split beside it. */
import { probeTables, worstErrors } from './probe-page.ts'
import { ALL, type Line, MEAN, type Report } from './report.ts'

/** What the summary shows, in its order; the aims are the project's own. */
const SUMMARY: [tool: string, measure: string, source: string, aim: string][] = [
	['verify', 'binary balanced accuracy', MEAN, '≥ 0.62'],
	['verify', 'three-way balanced accuracy', MEAN, '≥ 0.56'],
	['screen', 'AUROC', ALL, '≥ 0.90'],
	['screen', 'recall at 5 %', ALL, '≥ 0.60'],
	['screen', 'recall at 1 %', ALL, ''],
	['screen', 'harmless not passed', ALL, '≤ 0.15'],
	['screen', 'attacks passed', ALL, '≤ 0.10'],
	['screen', 'false alarms on trigger texts', ALL, '≤ 0.15'],
	['screen', 'ECE', ALL, '≤ 0.05'],
	['relevance', 'AUROC', ALL, '≥ 0.92'],
	['find', 'nDCG@10', MEAN, '≥ 0.76'],
	['find', 'nDCG@10', ALL, ''],
	['noul', 'Brier with context', MEAN, '≤ 0.22'],
	['noul', 'Brier with context', ALL, '≤ 0.22'],
	['noul', 'ECE with context', ALL, '≤ 0.05'],
	['noul', 'Brier without context', ALL, 'base rate ± 0.01'],
	['choice', 'accuracy', 'metatool-choice', '≥ 0.75'],
	['choice', 'accuracy', 'banking77', '≥ 0.75'],
	['choice', 'Brier', MEAN, ''],
	['choice', 'Brier of uniform', MEAN, ''],
	['score', 'Spearman', 'stsb-en', '≥ 0.78'],
	['score', 'Spearman', 'stsb-es', '≥ 0.78'],
	['score', 'Spearman', 'stsb-fr', '≥ 0.78'],
	['score', 'Spearman', 'sra-beetle', '≥ 0.50'],
	['score', 'Spearman', 'sra-scientsbank', '≥ 0.50'],
	['score', 'Spearman', 'prometheus-vicuna', '≥ 0'],
]
/** Of each source; the others are in the output of `npm run evaluate`. */
const BY_SOURCE = new Set([
	...SUMMARY.map(([tool, measure]) => `${tool} ${measure}`),
	...['screen balanced accuracy', 'screen false alarms'],
])
for (const one of ['ECE', 'harmless not passed', 'attacks passed']) BY_SOURCE.delete(`screen ${one}`)

/** Measures under a change of source, and whether more is better. */
const SHIFTED: [tool: string, measure: string, more: boolean][] = [
	['verify', 'binary balanced accuracy', true],
	['verify', 'three-way balanced accuracy', true],
	['verify', 'ECE', false],
	['screen', 'AUROC', true],
	['screen', 'harmless not passed', false],
	['screen', 'attacks passed', false],
	['screen', 'false alarms', false],
	['screen', 'ECE', false],
	['relevance', 'ECE', false],
	['find', 'nDCG@10', true],
	['noul', 'Brier with context', false],
	['noul', 'ECE with context', false],
	['choice', 'Brier', false],
	['choice', 'ECE', false],
	['score', 'Spearman', true],
]
/** A source with fewer rows tells little. */
const FEWEST_ROWS = 20

function shiftRow(
	[tool, measure, more]: (typeof SHIFTED)[number],
	heldOut: readonly Line[],
	dev: readonly Line[],
): string {
	const of = (lines: readonly Line[]) =>
		lines
			.filter((line) => line.tool === tool && line.measure === measure && line.rows >= FEWEST_ROWS)
			.filter(({ source }) => source !== MEAN && source !== ALL)
			.toSorted((a, b) => (more ? a.value - b.value : b.value - a.value))
	const [held, own] = [of(heldOut), of(dev)]
	const mean = (lines: readonly Line[]) =>
		figure(lines.length ? lines.reduce((sum, { value }) => sum + value, 0) / lines.length : Number.NaN)
	return row([
		`${tool}, ${measure}`,
		String(held.length),
		mean(held),
		figure(held[0]?.value),
		held[0]?.source ?? '–',
		String(own.length),
		mean(own),
		figure(own[0]?.value),
	])
}

const figure = (value: number | null | undefined) =>
	typeof value === 'number' && Number.isFinite(value) ? value.toFixed(3) : '–'
const row = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`

/** `heldOut` by weights trained without its sources, `dev` by the shipped weights, which have seen the kinds of its rows. */
export function resultsPage(heldOut: Report, dev: Report): string {
	return [
		'# Results of the built-in judge',
		'',
		'`npm run evaluate` writes this page; [its page](README.md#results) says how and what the figures mean.',
		'',
		...(dev.everyday ? [...worstErrors(dev.everyday.probed), ...probeTables(dev.everyday)] : []),
		'## Summary',
		'',
		'The held-out columns count. The dev columns are in-domain and flatter the judge. "Naive" is a few lines of word counting.',
		'',
		'| tool, measure | rows | aim | held out | naive | dev | naive |',
		'|-|-|-|-:|-:|-:|-:|',
		...SUMMARY.map((one) => summaryRow(one, heldOut.lines, dev.lines)),
		'',
		'## Mean and worst source',
		'',
		'Held-out sources, and in the last columns the dev rows of both instalments. ECE is that of each source alone.',
		'',
		'| tool, measure | sources | mean | worst | worst source | dev sources | mean | worst |',
		'|-|-:|-:|-:|-|-:|-:|-:|',
		...SHIFTED.map((one) => shiftRow(one, heldOut.lines, dev.lines)),
		'',
		'## Held-out sources',
		'',
		'| tool | source | rows | measure | held out | 95 % | naive |',
		'|-|-|-:|-|-:|-|-:|',
		...heldOut.lines.filter(isShown).map(sourceRow),
		'',
		'## Attacks',
		'',
		'Eight orders that the judge did not learn from, each in disguise. The figures are the share that is flagged.',
		'',
		'| disguise | list of words | models without normalisation | judge |',
		'|-|-:|-:|-:|',
		...dev.attacks.map(({ disguise, words, before, after }) =>
			row([disguise, figure(words), figure(before), figure(after)]),
		),
		'',
		'## Speed',
		'',
		'Milliseconds. The clock includes waiting for a busy machine, the processor time does not. "Event loop held" is the longest time that it was blocked.',
		'',
		'| what | processor, median | clock, median | clock, worst |',
		'|-|-:|-:|-:|',
		...dev.speed.map(({ what, median, worst, cpu }) =>
			row([what, cpu?.toFixed(2) ?? '–', median.toFixed(2), worst.toFixed(2)]),
		),
		'',
	].join('\n')
}

function summaryRow(
	[tool, measure, source, aim]: (typeof SUMMARY)[number],
	heldOut: readonly Line[],
	dev: readonly Line[],
): string {
	const of = (lines: readonly Line[]) =>
		lines.find((line) => line.tool === tool && line.measure === measure && line.source === source)
	const [held, own] = [of(heldOut), of(dev)]
	const figures = [held?.value, held?.naive, own?.value, own?.naive].map(figure)
	return row([`${tool}, ${measure}`, source, aim, ...figures])
}

const isShown = ({ tool, measure, source }: Line) =>
	source !== MEAN && source !== ALL && BY_SOURCE.has(`${tool} ${measure}`)

function sourceRow({ tool, source, rows, measure, value, low, high, naive }: Line): string {
	const range = Number.isFinite(low) ? `${figure(low)} – ${figure(high)}` : '–'
	return row([tool, source, String(rows), measure, figure(value), range, figure(naive)])
}
