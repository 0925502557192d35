/** Who only has a sister, a deputy or a friend that the passage speaks of: "Hale's sister is a doctor" is not of Hale. */
import { FUNCTION, NAME, type Phrase } from '../text/phrase.ts'

const PEOPLE = new Set(
	'sister brother mother father mum mom dad parents son daughter child children wife husband partner girlfriend boyfriend fiance fiancee cousin uncle aunt nephew niece grandmother grandfather grandson granddaughter friend friends colleague colleagues neighbour neighbor deputy assistant secretary boss manager predecessor successor rival opponent lawyer agent doctor teacher student pupil client landlord tenant flatmate roommate boss employer employee twin dog cat'.split(
		' ',
	),
)
const BESIDE = new Set('and or with'.split(' '))

/** Of the first that the claim names, wherever the passage has it. */
export function isAnothers(claim: Phrase, said: Phrase): boolean {
	const first = claim.words.findIndex((_, i) => !(claim.marks[i]! & FUNCTION))
	if (first < 0 || first > 1 || claim.words[first]!.endsWith("'s")) return false
	const places = said.stems.flatMap((stem, k) => (stem === claim.stems[first] ? [k] : []))
	if (!places.length || !places.every((k) => said.marks[k]! & NAME || k === 0)) return false
	const owned = places.map((k) => ownedAt(said, k))
	return owned.every((word) => word !== null && !claim.words.includes(word))
}

/** "Hale's sister", "a friend of Hale". */
function ownedAt({ words }: Phrase, k: number): string | null {
	if (/'s?$/.test(words[k]!)) {
		const owned = words.slice(k + 1, k + 3).find((word) => PEOPLE.has(word))
		return owned && !BESIDE.has(words[k + 2] ?? '') ? owned : null
	}
	const owned = words[k - 1] === 'of' ? words[k - 2] : undefined
	return owned && PEOPLE.has(owned) ? owned : null
}
