/** Who does what to whom, by the order of words: "A hired B" is not "B hired A", and "B was hired by A" is "A hired B". */
import { FUNCTION, NAME, NUMBER, type Phrase } from '../text/phrase.ts'

const WITHIN_WORDS = 14
const LONGEST_CLAIM_WORDS = 24
const SHORT_CLAIM_WORDS = 8
const BY = new Set(['by', 'von', 'par', 'por', 'da', 'dal', 'dalla', 'door'])
const BE = new Set(
	'is are was were be been being am get gets got wird werden wurde wurden est sont etait fut ete es son fue fueron ser e sono stato stata foi foram word wordt werd werden'.split(
		' ',
	),
)
/** "instead of", "before": between two names they part the roles as a verb does. */
const PARTING = new Set('than instead before after to from against behind ahead of for'.split(' '))

/** −1 where the roles are turned round, 1 where they are kept, 0 where that cannot be told. */
export function rolesOf(claim: Phrase, said: Phrase): -1 | 0 | 1 {
	if (claim.words.length > LONGEST_CLAIM_WORDS) return 0
	const actors: number[] = []
	for (let i = 0; i < claim.words.length; i++) if (isActor(claim, i)) actors.push(i)
	for (let x = 0; x < actors.length; x++)
		for (let y = x + 1; y < actors.length; y++) {
			const told = turned(claim, said, actors[x]!, actors[y]!)
			if (told) return told
		}
	return 0
}

function isActor({ words, marks, weights }: Phrase, i: number): boolean {
	if (marks[i]! & (NUMBER | FUNCTION)) return false
	if (marks[i]! & NAME || (i === 0 && weights[i]! > 4)) return true
	const before = words[i - 1] ?? ''
	return words.length <= SHORT_CLAIM_WORDS && /^(the|a|an|der|die|das|le|la|el|il|o|de|het)$/.test(before)
}

function turned(claim: Phrase, said: Phrase, i: number, k: number): -1 | 0 | 1 {
	const [p, q] = [placeOnce(said, claim.stems[i]!), placeOnce(said, claim.stems[k]!)]
	if (p < 0 || q < 0 || Math.abs(p - q) > WITHIN_WORDS) return 0
	const between = linkBetween(claim, said, i, k, Math.min(p, q), Math.max(p, q))
	if (!between) return 0
	const passive = isPassive(claim, i, k) !== isPassive(said, Math.min(p, q), Math.max(p, q))
	return p > q !== passive ? -1 : 1
}

function placeOnce({ stems }: Phrase, stem: string): number {
	const first = stems.indexOf(stem)
	return first >= 0 && stems.indexOf(stem, first + 1) < 0 ? first : -1
}

/** A word that both have between the two: the verb, or what parts their roles. */
function linkBetween(claim: Phrase, said: Phrase, i: number, k: number, p: number, q: number): boolean {
	for (let j = i + 1; j < k; j++) {
		if (claim.marks[j]! & (NAME | NUMBER)) continue
		const links = !(claim.marks[j]! & FUNCTION) || PARTING.has(claim.words[j]!)
		if (!links) continue
		for (let s = p + 1; s < q; s++) if (said.stems[s] === claim.stems[j]) return true
	}
	return false
}

function isPassive({ words }: Phrase, from: number, to: number): boolean {
	const between = words.slice(from + 1, to)
	return between.some((word) => BY.has(word)) && between.some((word) => BE.has(word))
}
