/**
 * A claim in the evidence's own spelling of the same amounts: "1,500 ml" where the evidence says "1.5 litres". What is
 * left different is a clash: the evidence gives another amount of the same kind of thing.
 */
import { type Quantity, quantities } from './quantities.ts'

export interface Restated {
	claim: string
	/** Amounts that the evidence has, and those of which it has another. */
	met: number
	clashes: number
	missing: number
}

const CLOSE = 1e-6
const BEFORE = /\b(before|until|prior to|earlier than) $/i
const AFTER = /\b(after|since|later than) $/i
const BOUND_UNITS = 20

export function restated(claim: string, evidence: string): Restated {
	const wanted = quantities(claim)
	const out: Restated = { claim, met: 0, clashes: 0, missing: 0 }
	if (!wanted.length) return out
	const given = quantities(evidence)
	// From the last, so that earlier places stay.
	for (const one of wanted.toReversed()) {
		const fits = given.filter((other) => comparable(one, other))
		const lead = claim.slice(Math.max(0, one.start - BOUND_UNITS), one.start)
		const match = fits.find((other) => holds(one, other, lead) || goesOn(one, other, lead, evidence))
		if (match) {
			out.met++
			const from = one.bound ? one.start - boundLength(lead) : one.start
			const said = evidence.slice(match.start, match.end)
			if (claim.slice(from, one.end) !== said)
				out.claim = out.claim.slice(0, from) + said + out.claim.slice(one.end)
		} else if (clashes(one, fits, given, lead)) out.clashes++
		else out.missing++
	}
	return out
}

const YEAR_LEAD =
	/(\b(in|since|before|after|until|by|of|year|from|to|during|im|seit|en|nel|em|em|year) |\()$/i

/** Another amount of the same kind; not where the passage has the number elsewhere, or a span of years around it. */
function clashes(
	one: Quantity,
	fits: readonly Quantity[],
	given: readonly Quantity[],
	lead: string,
): boolean {
	// Ten are not more than ten.
	if (isStrict(one) && fits.some((other) => !other.bound && near(one.value, other.value))) return true
	if (!fits.length || given.some((other) => sameNumber(one, other))) return false
	// "More than 500" may be 900.
	if (!one.bound && fits.some((other) => other.bound && isWithin(one.value, other))) return false
	if (one.kind !== 'year') return true
	const years = fits.map(yearOf)
	const around = years.length > 1 && Math.min(...years) < one.value && Math.max(...years) > one.value
	return YEAR_LEAD.test(lead) && !around
}

const isWithin = (value: number, { bound, value: end }: Quantity): boolean =>
	bound[0] === '>'
		? value > end || (bound === '>=' && value === end)
		: value < end || (bound === '<=' && value === end)

/** "In 2018", of what "has been so since 2015". */
function goesOn(wanted: Quantity, given: Quantity, lead: string, evidence: string): boolean {
	if (wanted.kind !== 'year' || !/\b(in|during) $/i.test(lead)) return false
	const year = yearOf(given)
	const before = evidence.slice(Math.max(0, given.start - SINCE_UNITS), given.start)
	return year > 0 && year <= wanted.value && /\b(?:has|have|is|are)\b.*\bsince (?:\w+ ){0,2}$/i.test(before)
}

const SINCE_UNITS = 80

const isStrict = ({ bound }: Quantity): boolean => bound === '>' || bound === '<'

/** Twenty dollars are not twenty euros. */
const sameNumber = (a: Quantity, b: Quantity): boolean =>
	a.value === b.value && (a.kind === b.kind || !MONEY.includes(a.kind) || !MONEY.includes(b.kind))

const boundLength = (lead: string): number =>
	/(at least|no less than|not less than|minimum of|more than|longer than|higher than|greater than|larger than|bigger than|older than|heavier than|over|above|exceeding|exceeds|at most|up to|no more than|maximum of|less than|fewer than|shorter than|lower than|smaller than|younger than|cheaper than|lighter than|under|below|within) (?:a |an )?$/i.exec(
		lead,
	)?.[0].length ?? 0

const MONEY = ['euro', 'dollar', 'pound', 'franc']

function comparable(a: Quantity, b: Quantity): boolean {
	if (MONEY.includes(a.kind) && MONEY.includes(b.kind)) return true
	if (a.kind === 'year' || b.kind === 'year')
		return [a.kind, b.kind].every((kind) => kind === 'year' || kind === 'date')
	if (a.kind !== b.kind) return false
	return a.kind !== 'count' || (a.of === b.of && a.of !== '')
}

function holds(wanted: Quantity, given: Quantity, lead: string): boolean {
	const [a, b] = [wanted, given]
	if (a.kind !== b.kind && MONEY.includes(a.kind)) return false
	if (a.kind === 'date' && b.kind === 'date') return sameDate(a.value, b.value)
	if (a.kind === 'year' || b.kind === 'year') {
		const [x, y] = [yearOf(a), yearOf(b)]
		if (!x || !y) return false
		if (BEFORE.test(lead)) return y < x
		return AFTER.test(lead) ? y > x : x === y && a.kind === 'year'
	}
	if (a.kind === 'clock' && b.kind === 'clock' && !a.bound && !b.bound) return sameClock(a, b)
	if (a.bound && b.bound)
		return a.bound[0] === b.bound[0] && (a.bound[0] === '>' ? b.value >= a.value : b.value <= a.value)
	if (a.bound === '>=') return b.value >= a.value
	if (a.bound === '>') return b.value > a.value
	if (a.bound === '<=') return b.value <= a.value
	if (a.bound === '<') return b.value < a.value
	// A third is 33 percent.
	if (a.kind === 'share' && b.kind === 'share') return !b.bound && Math.abs(a.value - b.value) < 0.5
	return !b.bound && near(a.value, b.value)
}

/** "8:00" may be of the morning or of the evening, "8 pm" and "20:00" may not. */
const sameClock = (a: Quantity, b: Quantity): boolean =>
	a.value === b.value || ([a, b].some(isOfEitherHalf) && a.value % HALF_A_DAY === b.value % HALF_A_DAY)
const HALF_A_DAY = 720
const isOfEitherHalf = ({ of, value }: Quantity): boolean => of === '' && value < HALF_A_DAY + 60

const near = (a: number, b: number): boolean =>
	Math.abs(a - b) <= CLOSE * Math.max(1, Math.abs(a), Math.abs(b))
const yearOf = ({ kind, value }: Quantity): number => (kind === 'year' ? value : Math.floor(value / 10_000))

/** What both say agrees: "3 May" is 3 May of any year. */
function sameDate(a: number, b: number): boolean {
	const parts = (value: number) => [Math.floor(value / 10_000), Math.floor(value / 100) % 100, value % 100]
	const [x, y] = [parts(a), parts(b)]
	return x.every((part, i) => !part || !y[i] || part === y[i])
}
