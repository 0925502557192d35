/** Tables as they come in texts: CSV, tabs, bars, and lines of "name: value; name: value". */
import { fold } from '../text/fold.ts'

export interface Table {
	head: string[]
	rows: string[][]
}

const MOST_ROWS = 400
const FEWEST_ROWS = 2
const BORDER = /^[\s|:+-]+$/

export function tableIn(text: string): Table | null {
	if (text.startsWith('[{')) return objects(text)
	const lines = text.split('\n').filter((line) => line.trim() && !BORDER.test(line))
	if (lines.length < FEWEST_ROWS + 1 || lines.length > MOST_ROWS) return records(lines)
	for (const mark of ['\t', '|', ';', ',']) {
		const cells = lines.map((line) => cellsOf(line, mark))
		const width = cells[0]!.length
		const fits = cells.filter((row) => row.length === width)
		if (width > 1 && fits.length >= 0.8 * cells.length && !cells[0]!.every((cell) => cell.includes(': ')))
			return { head: cells[0]!.map(plain), rows: fits.slice(1).map((row) => row.map(plain)) }
	}
	return records(lines)
}

const LONGEST_JSON_UNITS = 100_000

/** A JSON list of flat objects with the same members. */
function objects(text: string): Table | null {
	if (text.length > LONGEST_JSON_UNITS) return null
	let list: unknown
	try {
		list = JSON.parse(text)
	} catch {
		return null
	}
	if (!Array.isArray(list) || list.length < FEWEST_ROWS || list.length > MOST_ROWS) return null
	const head = Object.keys(list[0] as object)
	const rows = list.map((one: Record<string, unknown>) => head.map((name) => plain(String(one[name] ?? ''))))
	return head.length > 1 ? { head: head.map(plain), rows } : null
}

const plain = (cell: string): string => fold(cell).text.trim()

function cellsOf(line: string, mark: string): string[] {
	const inner = mark === '|' ? line.trim().replace(/^\||\|$/g, '') : line
	return inner.split(mark).map((cell) => cell.trim().replace(/^"|"$/g, ''))
}

/** "item: lamp; price: 3" on every line. */
function records(lines: readonly string[]): Table | null {
	if (lines.length < FEWEST_ROWS || lines.length > MOST_ROWS) return null
	const rows = lines.map((line) =>
		line.split(';').map((part) => {
			const at = part.indexOf(': ')
			return at > 0 ? ([plain(part.slice(0, at)), plain(part.slice(at + 2))] as const) : null
		}),
	)
	const head = rows[0]!.map((pair) => pair?.[0] ?? '')
	const same = rows.every(
		(row) => row.length === head.length && row.every((pair, i) => pair !== null && pair[0] === head[i]),
	)
	if (head.length < 2 || !same) return null
	return { head, rows: rows.map((row) => row.map((pair) => pair![1])) }
}
