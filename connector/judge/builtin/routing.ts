/**
 * A message beside the places it may go to: tools with a name and a description, topics, queues. The question itself
 * ("Which tool should handle this?") says nothing of the message; what counts is which option speaks of the same things.
 */
import { areSynonyms, closeness, DIMENSIONS, isKindOf } from '../text/lexicon.ts'
import { FUNCTION, type Phrase, phraseOf, whole } from '../text/phrase.ts'
import { dot } from '../text/similarity.ts'
import { readName } from './ranked.ts'

const LONGEST_NAME_UNITS = 40
const WORDS_READ = 300

/** The words of a phrase that carry a topic, by place. */
export function topics({ words, marks }: Phrase): number[] {
	const found: number[] = []
	for (let i = 0; i < words.length && found.length < WORDS_READ; i++)
		if (!(marks[i]! & FUNCTION)) found.push(i)
	return found
}

/** Names in words: `get_weather` and `GetWeather` are "get weather". */
export const spelled = (text: string): string => readName(text.replaceAll('_', ' ')).source
export const named = (text: string): Phrase => whole(readName(text.replaceAll('_', ' ')))

/** `WeatherTool: tells the weather` has a name; a topic is its own. */
function nameOf(option: string): string {
	const end = option.indexOf(':')
	return end > 0 && end < LONGEST_NAME_UNITS ? option.slice(0, end) : option
}

export function routeFeatures(message: string, options: readonly string[]): Float32Array[] {
	const asked = phraseOf(message)
	const words = topics(asked)
	const phrases = options.map(named)
	const names = options.map((option) => named(nameOf(option)))
	const nearest = phrases.map((phrase) => {
		const places = topics(phrase)
		return words.map((i) => nearness(asked, i, phrase, places))
	})
	const mean = words.map((_, w) => nearest.reduce((sum, row) => sum + row[w]!, 0) / options.length)
	const centre = new Float32Array(DIMENSIONS)
	for (const phrase of phrases)
		phrase.meaning().forEach((value, k) => {
			centre[k]! += value / options.length
		})
	const counts = new Map<string, number>()
	for (const { places } of phrases)
		for (const stem of places.keys()) counts.set(stem, (counts.get(stem) ?? 0) + 1)
	return phrases.map((phrase, i) =>
		Float32Array.of(
			...forth(asked, words, nearest[i]!, mean),
			...back(phrase, asked, words, (stem) => Math.log(1 + options.length / (counts.get(stem) ?? 1))),
			...meanings(asked.meaning(), phrase.meaning(), centre),
			...naming(names[i]!, asked, words),
		),
	)
}

/** Sum of the likeness of all words of the message, the likest three by weight, and the lead over the other options. */
function forth(
	asked: Phrase,
	words: readonly number[],
	near: readonly number[],
	mean: readonly number[],
): number[] {
	const heavy = words.map((i, w) => asked.weights[i]! * near[w]!).sort((a, b) => b - a)
	let total = 0
	let squares = 0
	let lead = 0
	words.forEach((i, w) => {
		total += asked.weights[i]!
		squares += asked.weights[i]! * near[w]! ** 2
		lead += asked.weights[i]! * (near[w]! - mean[w]!)
	})
	const all = near.reduce((a, b) => a + b, 0) / Math.max(1, near.length)
	return [
		heavy[0] ?? 0,
		heavy[1] ?? 0,
		heavy[2] ?? 0,
		all,
		total ? squares / total : 0,
		total ? lead / total : 0,
	]
}

/** The same from the option's side; a word that all options have counts little. */
function back(
	phrase: Phrase,
	asked: Phrase,
	words: readonly number[],
	rarity: (stem: string) => number,
): [number, number] {
	let sum = 0
	let total = 0
	let best = 0
	for (const j of topics(phrase)) {
		const weight = phrase.weights[j]! * rarity(phrase.stems[j]!)
		const near = nearness(phrase, j, asked, words)
		sum += weight * near
		total += weight
		best = Math.max(best, weight * near ** 2)
	}
	return [total ? sum / total : 0, best]
}

function meanings(asked: Float32Array, option: Float32Array, centre: Float32Array): [number, number] {
	const apart = option.map((value, k) => value - centre[k]!)
	const moved = asked.map((value, k) => value - centre[k]!)
	const length = Math.sqrt(dot(apart, apart))
	const other = Math.sqrt(dot(moved, moved))
	return [length ? dot(apart, asked) / length : 0, length && other ? dot(apart, moved) / length / other : 0]
}

function naming(name: Phrase, asked: Phrase, words: readonly number[]): [number, number] {
	let sum = 0
	let best = 0
	const places = topics(name)
	for (const j of places) {
		const near = nearness(name, j, asked, words)
		sum += near
		best = Math.max(best, name.weights[j]! * near)
	}
	return [places.length ? sum / places.length : 0, best]
}

const RELATED = 0.85
const ALIKE = 0.8
const SHORTEST_PART = 4
const PART = 0.7

/** How near the word is to the nearest of the other phrase: 1 the same, else by relation, spelling or meaning. */
function nearness(a: Phrase, i: number, b: Phrase, places: readonly number[]): number {
	let best = 0
	for (const j of places) {
		if (a.stems[i] === b.stems[j]) return 1
		const [x, y] = [a.ids[i]!, b.ids[j]!]
		let near = Math.max(0, closeness(x, y))
		if (near < RELATED && x >= 0 && y >= 0 && related(x, y)) near = RELATED
		if (near < ALIKE && spelledAlike(a.words[i]!, b.words[j]!)) near = ALIKE
		if (near > best) best = near
	}
	return best
}

const related = (x: number, y: number): boolean => areSynonyms(x, y) || isKindOf(x, y) || isKindOf(y, x)

function spelledAlike(a: string, b: string): boolean {
	if (Math.min(a.length, b.length) < SHORTEST_PART) return false
	const start = b.slice(0, Math.max(SHORTEST_PART, Math.ceil(PART * b.length)))
	return a.startsWith(start) || a.includes(b) || b.includes(a)
}
