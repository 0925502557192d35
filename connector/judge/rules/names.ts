/**
 * "Martina" is not "Martin": a name that a claim has and nothing says, where the passages
 * around have one that is almost spelled so.
 */
import { languageOf, meaningId } from '../text/languages.ts'
import { NAME, type Phrase } from '../text/phrase.ts'

const SHORTEST = 4
/** From this length on two letters may differ. */
const LONG = 7
/** Endings of one name's forms, and of what is named after it. */
const FORMS =
	/^(?:'?s|es|e|n|en|ns|i|an|ans|ian|ians|er|ers|in|ish|ese|ic|ism|ist|al|y|om|em|ego|u|ya|lar|ler|da|de|ta|to|r|rn|rin|innen)$/

export function misnamed(claim: Phrase, has: (stem: string) => boolean, around: () => Phrase): boolean {
	const language = languageOf(claim.words)
	for (let i = 0; i < claim.words.length; i++) {
		const word = claim.words[i]!
		if (!isName(claim, i) || has(claim.stems[i]!)) continue
		// A language may write all its nouns with a capital.
		if (language && meaningId(word, language) >= 0) continue
		const { words, stems, marks } = around()
		for (let j = 0; j < words.length; j++)
			if (marks[j]! & NAME && !claim.places.has(stems[j]!) && isNear(word, words[j]!)) return true
	}
	return false
}

const isName = ({ words, marks }: Phrase, i: number): boolean =>
	Boolean(marks[i]! & NAME) && words[i]!.length >= SHORTEST && /^\p{L}+$/u.test(words[i]!)

function isNear(a: string, b: string): boolean {
	if (b.length < SHORTEST || a[0] !== b[0]) return false
	const [short, long] = a.length <= b.length ? [a, b] : [b, a]
	if (long.length - short.length > 3) return false
	if (long.startsWith(short)) return !FORMS.test(long.slice(short.length))
	let shared = 0
	while (a[shared] === b[shared]) shared++
	if (FORMS.test(a.slice(shared)) && FORMS.test(b.slice(shared))) return false
	return distance(a, b) <= (short.length >= LONG ? 2 : 1)
}

/** Letters to change, drop or add, two neighbours that change places counting once. */
function distance(a: string, b: string): number {
	let before: number[] = []
	let row = Array.from({ length: b.length + 1 }, (_, j) => j)
	for (let i = 1; i <= a.length; i++) {
		const next = [i]
		for (let j = 1; j <= b.length; j++) {
			const swap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
			const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
			next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, change, swap ? before[j - 2]! + 1 : change))
		}
		before = row
		row = next
	}
	return row[b.length]!
}
