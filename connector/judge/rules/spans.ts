/** How long something takes, from its two ends: dates of a contract, departure and arrival. 1 holds, −1 does not, 0 unknown. */
import { fold } from '../text/fold.ts'
import { tokenize } from '../text/tokens.ts'
import { type Quantity, quantities } from './quantities.ts'

const LASTS = /\b(lasts?|takes?|took|runs? for|ran for|is for|dauert|dura|dure|duurt)\b/
const LEAVES = /\b(depart\w*|leaves?|left|starts?|from|abfahrt|ab|salida|depart|partenza)\b/
const ARRIVES = /\b(arriv\w*|ends?|reach\w*|ankunft|an|llegada|arrivee|arrivo)\b/
const NEXT_YEAR = /\b(following|next) year\b/
const MINUTES_A_DAY = 1_440
const MINUTE = 60
const DAY = 86_400
const DAYS_A_MONTH = 30.44
/** Days that a month may differ from the mean, and the last day counts or not. */
const LOOSE_DAYS = 3
const NEAR = 0.02
const LONGEST_UNITS = 250

export function spanSays(claim: string, evidence: string): -1 | 0 | 1 {
	if (evidence.length > LONGEST_UNITS) return 0
	const [said, given] = [fold(claim).text, fold(evidence).text]
	if (!LASTS.test(said) || /\b(not|never)\b|n't\b/.test(said)) return 0
	const wanted = quantities(claim)
	if (wanted.length !== 1 || wanted[0]!.bound || !['time', 'months'].includes(wanted[0]!.kind)) return 0
	const told = quantities(evidence)
	return byClock(wanted[0]!, told, given) || byDate(wanted[0]!, told, said, given)
}

function byClock({ kind, value }: Quantity, told: readonly Quantity[], given: string): -1 | 0 | 1 {
	const clocks = told.filter((one) => one.kind === 'clock')
	if (kind !== 'time' || value >= DAY || clocks.length !== 2) return 0
	if (!LEAVES.test(given) || !ARRIVES.test(given)) return 0
	const minutes = (clocks[1]!.value - clocks[0]!.value + MINUTES_A_DAY) % MINUTES_A_DAY
	return Math.abs(minutes * MINUTE - value) <= NEAR * value ? 1 : -1
}

function byDate(
	{ kind, value }: Quantity,
	told: readonly Quantity[],
	said: string,
	given: string,
): -1 | 0 | 1 {
	const dates = told.filter((one) => one.kind === 'date' && one.value % 100 > 0)
	if (dates.length !== 2 || (kind === 'time' && value < DAY)) return 0
	const there = new Set(tokenize(given).stems)
	if (!tokenize(said).stems.some((stem) => stem.length > 3 && there.has(stem))) return 0
	const days = daysBetween(dates[0]!.value, dates[1]!.value, NEXT_YEAR.test(given))
	const asked = kind === 'months' ? value * DAYS_A_MONTH : value / DAY
	const loose = kind === 'months' ? LOOSE_DAYS : 0
	return days + 1 + loose >= asked && days - loose <= asked ? 1 : -1
}

/** A year that is not given is the other date's; the end lies behind the beginning. */
function daysBetween(from: number, to: number, nextYear: boolean): number {
	const [first, second] = [Math.floor(from / 10_000), Math.floor(to / 10_000)]
	const year = first || second || 2_001
	const end = (second || first || 2_001) + (nextYear && !second ? 1 : 0)
	const days = (dayOf(end, to) - dayOf(year, from)) / DAY / 1_000
	return days < 0 ? days + 365 : days
}

const dayOf = (year: number, value: number): number =>
	Date.UTC(year, (Math.floor(value / 100) % 100) - 1, value % 100)
