/** Who won a game, from its result: "Harbour United 1 - 3 Lakeside". 1 holds, −1 does not, 0 unknown. */
import { fold } from '../text/fold.ts'

const SIDE = "((?:\\p{Lu}[\\p{L}'.-]*\\s?){1,4})"
const BETWEEN = new RegExp(`${SIDE}\\s*(\\d{1,3}) ?[-–:] ?(\\d{1,3})\\s*${SIDE}`, 'u')
const BEHIND = new RegExp(`${SIDE}\\s*(\\d{1,3}) ?[-–,:]{1,2} ?${SIDE}\\s*(\\d{1,3})\\b`, 'u')
const BEAT = new RegExp(
	`${SIDE}(?:beats?|defeat(?:s|ed)|won against|besiegt|bat|vence a) (?:the )?${SIDE}`,
	'u',
)
const WON = /^(?:the )?(.+?) (?:won|wins|have won|has won|gewann|gewinnt)\b(?! against)/
const LOST = /^(?:the )?(.+?) (?:lost|loses|have lost|has lost|verlor|verliert)\b/
const DRAW = /\b(draw|drawn|tie|tied|unentschieden|empate|match nul|pareggio)\b/
const DREW = /\b(?:ended (?:in|as) a (?:draw|tie)|drew (?:with|against|\d)|was (?:drawn|tied))\b/
const HOME = /^(?:home|hosts?|home team|home side|heimmannschaft)$/
const AWAY = /^(?:away|visitors|guests|away team|away side|gaste)$/
const DENIES = /\b(not|never|no|almost|nearly)\b|n't\b/
/** "Monday 10:30 Meeting" is no result. */
const CLOCK = /\b(?:[01]?\d|2[0-3]):[0-5]\d\b/
const LONGEST_UNITS = 160

export function scoreSays(claim: string, evidence: string): -1 | 0 | 1 {
	if (evidence.length > LONGEST_UNITS) return 0
	const said = fold(claim).text
	if (DENIES.test(said)) return 0
	const result = resultIn(evidence)
	if (!result) return DREW.test(fold(evidence).text) && (WON.test(said) || LOST.test(said)) ? -1 : 0
	if (DRAW.test(said)) return result.won === 'draw' ? 1 : -1
	const name = WON.exec(said)?.[1] ?? LOST.exec(said)?.[1]
	if (!name) return 0
	const one = isSide(name, result.first, result.second, HOME)
	const other = isSide(name, result.second, result.first, AWAY)
	if (one === other) return 0
	const wanted = WON.test(said) === one ? 'first' : 'second'
	return result.won === wanted ? 1 : -1
}

interface Result {
	first: string
	second: string
	won: 'first' | 'second' | 'draw'
}

function resultIn(text: string): Result | null {
	const beat = BEAT.exec(text)
	if (beat) return { first: plain(beat[1]!), second: plain(beat[2]!), won: 'first' }
	const behind = BEHIND.exec(text)
	const between = behind ? null : BETWEEN.exec(text)
	if ((!behind && !between) || CLOCK.test(text)) return null
	const [first, a, b, second] = behind
		? [behind[1]!, behind[2]!, behind[4]!, behind[3]!]
		: [between![1]!, between![2]!, between![3]!, between![4]!]
	const won = Number(a) === Number(b) ? 'draw' : Number(a) > Number(b) ? 'first' : 'second'
	return { first: plain(first), second: plain(second), won }
}

const plain = (name: string): string => fold(name).text.trim()

/** By a word of its name that the other has not, or as the side that plays at home or away. */
const isSide = (name: string, side: string, rival: string, role: RegExp): boolean =>
	role.test(name) ||
	name
		.split(' ')
		.some((word) => side.split(' ').includes(word) && !rival.split(' ').includes(word) && word !== 'the')
