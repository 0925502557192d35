/** In which season or month a date lies: 14 June is in summer. 1 holds, −1 does not, 0 unknown. */
import { fold } from '../text/fold.ts'
import { tokenize } from '../text/tokens.ts'
import { quantities } from './quantities.ts'
import { MONTHS } from './words.ts'

/** First month of each, as most calendars count; by the sun they begin three weeks later, and either is meant. */
const SEASONS: [RegExp, number][] = [
	[/\b(spring|fruhling|fruhjahr|printemps|primavera|lente)\b/, 3],
	[/\b(summer|sommer|ete|verano|estate|verao|zomer)\b/, 6],
	[/\b(autumn|fall|herbst|automne|otono|autunno|outono|herfst)\b/, 9],
	[/\b(winter|hiver|invierno|inverno)\b/, 12],
]
const IN = /\b(?:in|im|en|au|in the|during|ends?|begins?|starts?) (?:the )?/
const IN_MONTH = /\b(?:in|im|en|au mois de|a) (\p{L}{3,10})\b(?! \d)/u
const ENDS = /\b(ends?|expires?|until|is over|runs out|endet|termina|finit)\b/
const BEGINS = /\b(begins?|starts?|opens?|beginnt|empieza|commence)\b/
const MONTHS_OF_SEASON = 3
const SUN_DAY = 20
const LONGEST_UNITS = 200

export function seasonSays(claim: string, evidence: string): -1 | 0 | 1 {
	if (evidence.length > LONGEST_UNITS) return 0
	const said = fold(claim).text
	const season = SEASONS.find(([pattern]) => pattern.test(said) && IN.test(said))
	const month = MONTHS.get(IN_MONTH.exec(said)?.[1] ?? '')
	if ((!season && !month) || /\b(not|before|after|until|by)\b|n't\b|\d{4}/.test(said)) return 0
	const dates = quantities(evidence).filter(({ kind, value }) => kind === 'date' && value % 100 > 0)
	const there = new Set(tokenize(fold(evidence).text).stems)
	if (!dates.length || !tokenize(said).stems.some((stem) => stem.length > 3 && there.has(stem))) return 0
	const picked = ENDS.test(said) ? dates.slice(-1) : BEGINS.test(said) ? dates.slice(0, 1) : dates
	const holds = picked.map(({ value }) => {
		const [of, day] = [Math.floor(value / 100) % 100, value % 100]
		return season ? isIn(season[1], of, day) : of === month
	})
	return holds.every(Boolean) ? 1 : holds.some(Boolean) ? 0 : -1
}

const isIn = (first: number, month: number, day: number): boolean => {
	const place = (month - first + 12) % 12
	return place < MONTHS_OF_SEASON || (place === MONTHS_OF_SEASON && day <= SUN_DAY)
}
