export interface Line {
	kind: 'same' | 'removed' | 'added'
	text: string
}

/** Cells of the table that finds what two texts share; past it, all between their equal ends counts as changed. */
const cellsMax = 4_000_000

/** What changed from one text to another, line by line. */
export function lineChanges(before: string, after: string): Line[] {
	const a = before.split('\n')
	const b = after.split('\n')
	let start = 0
	while (start < a.length && start < b.length && a[start] === b[start]) start++
	let end = 0
	while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++
	const same = (text: string): Line => ({ kind: 'same', text })
	return [
		...a.slice(0, start).map(same),
		...between(a.slice(start, a.length - end), b.slice(start, b.length - end)),
		...a.slice(a.length - end).map(same),
	]
}

/** The longest common subsequence, from its lengths for every pair of ends. */
function between(a: string[], b: string[]): Line[] {
	const width = b.length + 1
	const lines: Line[] = []
	let i = 0
	let j = 0
	if (a.length * b.length <= cellsMax) {
		const lengths = new Uint32Array((a.length + 1) * width)
		const at = (x: number, y: number) => lengths[x * width + y] ?? 0
		for (let x = a.length - 1; x >= 0; x--)
			for (let y = b.length - 1; y >= 0; y--)
				lengths[x * width + y] = a[x] === b[y] ? at(x + 1, y + 1) + 1 : Math.max(at(x + 1, y), at(x, y + 1))
		while (i < a.length && j < b.length) {
			if (a[i] === b[j]) {
				lines.push({ kind: 'same', text: a[i] ?? '' })
				i++
				j++
			} else if (at(i + 1, j) >= at(i, j + 1)) lines.push({ kind: 'removed', text: a[i++] ?? '' })
			else lines.push({ kind: 'added', text: b[j++] ?? '' })
		}
	}
	for (const text of a.slice(i)) lines.push({ kind: 'removed', text })
	for (const text of b.slice(j)) lines.push({ kind: 'added', text })
	return lines
}

/** Without lines that are far from any change: a hole says how many there were. */
export function nearChanges(lines: Line[], near = 3): (Line | { kind: 'hole'; lines: number })[] {
	const kept = lines.map((_, i) =>
		lines.slice(Math.max(0, i - near), i + near + 1).some(({ kind }) => kind !== 'same'),
	)
	const shown: (Line | { kind: 'hole'; lines: number })[] = []
	for (const [i, line] of lines.entries()) {
		const last = shown.at(-1)
		if (kept[i]) shown.push(line)
		else if (last?.kind === 'hole') last.lines++
		else shown.push({ kind: 'hole', lines: 1 })
	}
	return shown
}
