/**
 * Things that somebody is only asked to do, wants, tries or is accused of, and things that somebody refuses, avoids or
 * nearly does: none of them is done.
 */
import { FUNCTION, NAME, NUMBER, type Phrase } from '../text/phrase.ts'
import { isPast, verbRoot } from '../text/verbs.ts'

type Kind = 'wanted' | 'refused' | 'done'
/** `not refused`: "did not fail to". */
export type Wanted = 'wanted' | 'refused' | 'not refused'

const kinds = (lists: Partial<Record<Kind, string>>): Map<string, Kind> =>
	new Map(
		Object.entries(lists).flatMap(([kind, words]) =>
			words.split(' ').map((word) => [verbRoot(word), kind as Kind] as const),
		),
	)

/** Some words before "to": "asked the firm to sign". */
const BEFORE_TO = kinds({
	wanted:
		'ask urge tell order want plan hope offer demand intend intention promise threat threaten expect suppose invite call advise beg try attempt bid propose proposal request permission permit allow authorise authorize entitle eligible encourage recommend instruct direct require oblige due set schedule ready likely unlikely prepare willing keen eager tempt vow pledge aim seek wish wait believe think say report rumour rumor allege suspect claim ought mean push',
	refused: 'refuse refusal decline fail failure forget neglect omit pretend unable inability',
	done: 'manage begin start continue get come able force compel happen help choose elect remember proceed know see hear find prove turn use have enough like love bother dare decide agree make first last only vote cause lead leave serve return join stop grow rise fall live appear seem step pause',
})
/** Directly before "to". */
const AT_TO = kinds({ wanted: 'about whether need has have', refused: 'yet' })
/** Some words before "of", "from" and the like, which an "-ing" follows: "cleared of stealing". */
const BEFORE_DOING: Record<string, Map<string, Kind>> = {
	of: kinds({
		wanted: 'acquit clear accuse accusation suspect suspicion verge brink risk hope dream capable think',
		refused: 'short instead talk back pull',
	}),
	with: kinds({ wanted: 'charge' }),
	from: kinds({
		wanted: 'ban bar prohibit',
		refused: 'prevent stop keep block hold refrain abstain deter dissuade save',
	}),
	about: kinds({ wanted: 'think' }),
	on: kinds({ wanted: 'plan' }),
	in: kinds({ wanted: 'interested' }),
	to: kinds({ refused: 'close' }),
	than: kinds({ refused: 'rather' }),
}
/** Directly before an "-ing". */
const AT_DOING = kinds({
	wanted: 'consider suggest propose recommend discuss deny risk',
	refused: 'avoid miss escape resist without',
})
/** Directly before any form of a verb. */
const AT_ALL = kinds({ wanted: 'should must', refused: 'almost nearly' })
/** Nothing follows any more: "cancelled before it shipped". */
const ENDS = new Set(
	'cancel cancelled abort scrap withdraw intercept halt thwart foil die'.split(' ').map(verbRoot),
)
const ENDS_WITHIN_WORDS = 8
const REACH_WORDS = 8

const HELPS = new Set('have be been having being'.split(' '))
const ALREADY = new Set('already schon bereits ya deja gia ja al уже zaten juz'.split(' '))
const WILL = new Set(
	"will shall i'll we'll he'll she'll they'll gonna werde wird werden zal zullen будет буду".split(' '),
)
/** A claim with one of these is itself of what is only wanted; with one of the others where its verb follows. */
const MODAL = new Set('should must will shall could would might'.split(' '))
const LEADS = new Set('to of with from without can almost nearly before'.split(' '))

/** Of the claim's own verb in the passage; null where the claim says as much, or nothing of the kind is said. */
export function wantedOnly(claim: Phrase, said: Phrase): Wanted | null {
	if (claim.words.some((one) => ALREADY.has(one)) && isToCome(claim, said)) return 'refused'
	if (claim.words.some((one) => MODAL.has(one))) return null
	const roots = said.words.map(verbRoot)
	for (let i = 0; i < claim.words.length; i++) {
		if (claim.marks[i]! & (FUNCTION | NUMBER) || LEADS.has(claim.words[i - 1] ?? '')) continue
		const root = verbRoot(claim.words[i]!)
		const found = roots.flatMap((one, k) =>
			one === root && !(said.marks[k]! & NAME) ? [wantedAt(claim, i, said.words, roots, k)] : [],
		)
		// Otherwise it is said without such words, too.
		if (found[0] && found.every(Boolean)) return found[0]
	}
	return null
}

function wantedAt(claim: Phrase, i: number, words: string[], roots: string[], k: number): Wanted | null {
	let lead = k - 1
	while (lead > 0 && HELPS.has(words[lead]!)) lead--
	const [place, kind] = governorOf(words, roots, lead, words[k]!.endsWith('ing') || lead < k - 1)
	if (kind === 'done' || claim.words.includes(words[place] ?? '')) return null
	if (kind) return kind === 'refused' && isNot(words[place - 1] ?? '') ? 'not refused' : kind
	const isPastOf = isPast(claim.words[i]!) && !isPast(words[k]!)
	if (words[lead] === 'to' && words[lead - 1] === 'used') return isPastOf ? null : 'refused'
	// What no known word is before may be a purpose, an order or a hope.
	if (isPastOf && (words[lead] === 'to' || words[lead] === 'please')) return 'wanted'
	if (words[lead] === 'could' && words.slice(Math.max(0, lead - 4), lead).includes('before')) return 'refused'
	return isEndedBefore(words, roots, lead) ? 'refused' : null
}

/** The word that decides whether what follows is done, and what it says of that. */
function governorOf(words: string[], roots: string[], lead: number, doing: boolean): [number, Kind | null] {
	const word = words[lead] ?? ''
	const near = (place: number, list: Map<string, Kind>) => list.get(roots[place] ?? '')
	const within = (list: Map<string, Kind>, count: number): [number, Kind | null] => {
		for (let place = lead - 1; place >= Math.max(0, lead - count); place--) {
			const kind = near(place, list)
			if (kind) return [place, kind]
		}
		return [-1, null]
	}
	const direct = near(lead, AT_ALL) ?? (doing ? near(lead, AT_DOING) : undefined)
	if (direct) return [lead, direct]
	if (doing && BEFORE_DOING[word]) {
		const found = within(BEFORE_DOING[word], 6)
		if (found[1]) return found
	}
	if (word !== 'to') return [-1, null]
	const at = near(lead - 1, AT_TO)
	if (at) return [lead - 1, at]
	const too = words.slice(Math.max(0, lead - 5), lead).lastIndexOf('too')
	if (too >= 0) return [Math.max(0, lead - 5) + too, 'refused']
	return words[lead - 1] === 'used' ? [-1, null] : within(BEFORE_TO, REACH_WORDS)
}

function isEndedBefore(words: string[], roots: string[], lead: number): boolean {
	const before = words.lastIndexOf('before', lead)
	if (before < 0 || lead - before > 3) return false
	return roots.slice(Math.max(0, before - ENDS_WITHIN_WORDS), before).some((root) => ENDS.has(root))
}

const isNot = (word: string): boolean => word === 'not' || word === 'never' || word.endsWith("n't")

/** What will be is not done already. */
function isToCome(claim: Phrase, said: Phrase): boolean {
	return said.words.some(
		(word, i) =>
			WILL.has(word) &&
			said.stems.slice(i + 1, i + 4).some((stem) => {
				const place = claim.places.get(stem)
				return place !== undefined && !(claim.marks[place]! & FUNCTION)
			}),
	)
}
