/** Texts as numbered lines, one a sentence of our own segmentation: an answer names numbers, and those are offsets. */
import { type Passages, passages } from '../builtin/passages.ts'
import { read } from '../text/document.ts'
import { sentences } from '../text/sentences.ts'
import { tokenize } from '../text/tokens.ts'
import { numbered, type Sheet } from './prompt.ts'

export interface Line {
	n: number
	source: number
	start: number
	end: number
}

type Shown = Pick<Sheet, 'material' | 'lines'>

export interface Lines {
	all: Shown
	at(n: number): Line | undefined
	/** The lines nearest to a text by their words, with their neighbours. */
	near(text: string): Shown
	nearest(text: string): Line | undefined
}

/** Of the sentences put before a claim that is asked again alone. */
const NEAREST = 12

/** Nothing of a text is left out: what stands between sentences goes with the one before it. */
export function linesOf(texts: readonly string[]): Lines {
	let n = 0
	const list = texts.flatMap((text, source) => {
		const found = sentences(text)
		const spans = found.length || !text ? found : [{ start: 0, end: text.length }]
		return spans.map(({ start, end }, i) => {
			const from = i === 0 ? 0 : start
			const to = spans[i + 1]?.start ?? text.length
			return { n: ++n, source, start, end, text: text.slice(from, to) }
		})
	})
	const show = (lines: typeof list): Shown => ({
		material: numbered(lines),
		lines: lines.map((one) => one.n),
	})
	const places = new Map(list.map(({ source, start }, place) => [`${source}:${start}`, place]))
	let index: Passages | undefined
	const nearest = (text: string, limit: number) => {
		index ??= passages(texts)
		const { words, stems } = tokenize(read(text).folded.text)
		return index.nearest(words, stems, limit).flatMap(({ place }) => {
			const { source, sentence } = index!.list[place]!
			return places.get(`${source}:${sentence.span.start}`) ?? []
		})
	}
	return {
		all: show(list),
		at: (wanted) => list[wanted - 1],
		near(text) {
			const kept = new Set(nearest(text, NEAREST).flatMap((place) => [place - 1, place, place + 1]))
			return show(list.filter((_, i) => kept.has(i)))
		},
		nearest: (text) => list[nearest(text, 1)[0] ?? -1],
	}
}

/** Neighbouring lines as one span. */
export function joined(lines: readonly Line[]): { start: number; end: number }[] {
	const spans: { start: number; end: number; last: number }[] = []
	for (const { n, start, end } of lines.toSorted((a, b) => a.n - b.n)) {
		const before = spans.at(-1)
		if (before && before.last === n - 1) {
			before.end = end
			before.last = n
		} else spans.push({ start, end, last: n })
	}
	return spans.map(({ start, end }) => ({ start, end }))
}
