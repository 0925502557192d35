/** test/bench/RESULTS.md and its plot, as `npm run bench -- --write` makes them: what Berth loses stands first. */
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { peers } from '../peers/index.ts'
import type { Part } from '../processes.ts'
import { cells, type Result } from './main.ts'
import { kinds, nameOf } from './rows.ts'

const at = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))

export function writePage(results: Result[], refused: string[]): void {
	writeFileSync(at('RESULTS.md'), page(results, refused))
	writeFileSync(at('results.svg'), plot(results))
}

interface Pair {
	label: string
	berth: Result
	other: Result
	/** Of CPU; over 1 Berth takes more. */
	ratio: number
}

/** Berth beside each other side, row by row; the largest ratio first. */
function pairs(results: Result[]): Pair[] {
	return results
		.filter(({ side }) => side !== 'berth')
		.flatMap((other) => {
			const berth = results.find(({ row, side }) => side === 'berth' && nameOf(row) === nameOf(other.row))
			if (!berth) return []
			return [{ label: labelOf(other), berth, other, ratio: berth.figures.cpu / other.figures.cpu }]
		})
		.sort((a, b) => b.ratio - a.ratio)
}

const labelOf = ({ row: { kind, callers, deployments, cores } }: Result) =>
	`${kinds[kind].says}, ${many(callers, 'caller')}, ${many(deployments, 'deployment')}, ${many(cores, 'core')}`
const many = (n: number, what: string) => `${n} ${what}${n === 1 ? '' : 's'}`

function page(results: Result[], refused: string[]): string {
	const compared = pairs(results)
	const line = ({ label, berth: { figures: a }, other }: Pair) => {
		const { figures: b } = other
		const two = (pick: (one: typeof a) => number, digits: number) =>
			`${pick(a).toFixed(digits)}, ${pick(b).toFixed(digits)}, **${(pick(a) / pick(b)).toFixed(2)}**`
		return `| ${label} | ${other.side} | ${two((f) => f.cpu, 2)} | ${two((f) => f.perSecond, 0)} | ${two((f) => f.p50, 1)} | ${two((f) => f.memoryMb, 0)} |`
	}
	const head = '| run | beside | CPU s per 1,000 runs | runs/s | p50 ms | MB after |\n|-|-|-|-|-|-|'
	const lost = compared.filter(({ ratio }) => ratio > 1)
	const won = compared.filter(({ ratio }) => ratio <= 1)
	const says = [...new Map(results.map(({ side, says }) => [side, says]))]
	return `# Bench: results

For people who ask what a run costs. \`npm run bench -- --against ${peers.join(',')} --write\` measures and writes this page; [what it measures](../README.md#bench).

A run is two streamed model calls and one MCP tool call, with default settings and fsync on. All sides are measured in turn against the same scripted servers; each figure is the median of three rounds, and each side is warmed before each of its rounds. Rows with the same number of cores follow one another on the same processes, in the order of the last table, so memory is what all rows so far have left. Cells are Berth, the other, **ratio**. CPU is that of all processes of a side. Other work on the machine raises times, so compare ratios of CPU first.

${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.version}.

![CPU seconds per 1,000 runs with 32 callers](results.svg)

## Where Berth takes more CPU

${lost.length === 0 ? 'Nowhere.' : [head, ...lost.map(line)].join('\n')}

## Where Berth takes less

${won.length === 0 ? 'Nowhere.' : [head, ...won.map(line)].join('\n')}

## What is compared

| side | what it does |
|-|-|
${says.map(([side, text]) => `| ${side} | ${text} |`).join('\n')}
${refused.length === 0 ? '' : `\nNot measured:\n\n${refused.map((text) => `- ${text}`).join('\n')}\n`}
## All figures

| run | side | p50 ms | p99 ms | runs/s | CPU s per 1,000 | host | runtime | sandboxes | database | MB after | WAL bytes a run |
|-|-|-|-|-|-|-|-|-|-|-|-|
${results.map((one) => `| ${labelOf(one)} | ${one.side} | ${cells(one.figures).join(' | ')} |`).join('\n')}
`
}

const WIDTH = 760
const BAR = 22
const GAP = 8
const LEFT = 230
const RIGHT = 70
const COLOURS = { host: '#4c72b0', runtime: '#55a868', sandboxes: '#c44e52', database: '#8172b3' }
const OTHER = '#9a9a9a'

/** CPU with 32 callers as bars, Berth's by process. */
function plot(results: Result[]): string {
	const shown = results
		.filter(({ row }) => row.callers === 32 && row.cores === 2)
		.filter(({ row, side }) => side === 'berth' || (row.kind === 'noted' && row.deployments === 1))
		.sort((a, b) => a.figures.cpu - b.figures.cpu)
	const scale = (WIDTH - LEFT - RIGHT) / Math.max(1, ...shown.map(({ figures }) => figures.cpu))
	const name = ({ side, row }: Result) =>
		side === 'berth'
			? `Berth: ${kinds[row.kind].says.replaceAll('`', '')}${row.deployments > 1 ? `, ${row.deployments} deployments` : ''}`
			: side
	const bars = shown.map((one, i) => {
		const y = i * (BAR + GAP)
		const { cpu, parts = {} as Partial<Record<Part, number>> } = one.figures
		let x = LEFT
		const box = (width: number, colour: string) => {
			const rect = `<rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${BAR}" fill="${colour}"/>`
			x += width
			return rect
		}
		const boxes =
			one.side === 'berth'
				? Object.entries(parts).map(([part, s]) => box(s * scale, COLOURS[part as keyof typeof COLOURS]))
				: [box(cpu * scale, OTHER)]
		const text = `y="${y + BAR - 6}"`
		return `<text x="${LEFT - 8}" ${text} text-anchor="end">${name(one)}</text>${boxes.join('')}<text x="${(x + 6).toFixed(1)}" ${text}>${cpu.toFixed(2)}</text>`
	})
	const bottom = shown.length * (BAR + GAP)
	const legend = Object.entries({ ...COLOURS, others: OTHER }).map(
		([part, colour], i) =>
			`<rect x="${LEFT + i * 95}" y="${bottom + 6}" width="12" height="12" fill="${colour}"/><text x="${LEFT + i * 95 + 17}" y="${bottom + 17}">${part}</text>`,
	)
	const height = bottom + 24
	return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="13" role="img"><title>CPU seconds per 1,000 runs with 32 callers</title><rect width="${WIDTH}" height="${height}" fill="#ffffff"/>
${[...bars, ...legend].join('\n')}
</svg>
`
}
