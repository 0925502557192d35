/** The one number that a clause gives besides an option, in a unit that can be compared: "980 g", "3 May", "5 pm". */
import { MONTHS, SCALES, UNITS } from './words.ts'

export interface Value {
	value: number
	/** `bare` and `counted` have no unit that is known; the latter have a word behind: "5 seats". */
	kind: string
	/** How many of its kind one unit is. */
	factor: number
	/** As written, for what cannot be told without the others: "1.250". */
	text: string
	/** "month" of "12 euros per month". */
	per: string
}

/** Few texts of the learned models have these, so they are units here alone. */
const SIZES = new Map(['b', 'kb', 'mb', 'gb', 'tb'].map((word, i) => [word, ['size', 1_000 ** i] as const]))
const NUMBER = /(?<![\p{L}\d.,:])[-−]?\d+(?:[.,:]\d+)*/gu
const BEHIND = /^\s?(?:(\p{L}+|[%€$£])(?: (\p{L}+))?)?/u
const BEFORE = /([€$£]|\p{L}+) ?$/u
const CLOCK_BEFORE = /\b(?:at|um|à|a las?|alle|as|om|в) ?$/u
const CLOCK_BEHIND = new Set(['uhr', 'uur', 'o'])
const ORDINAL = new Set(['st', 'nd', 'rd', 'th'])
const PER = /(?:\b(?:per|an?|each|every|pro|im|je|par|por|al|à l[ae])|\/) ?(\p{L}+)/gu
const [FIRST_YEAR, LAST_YEAR] = [1500, 2100]
/** More than a month has, so that dates are in order. */
const DAYS = 40
const MINUTES = 60
/** "9 per seat", "9 for two" */
const LONGEST_PREPOSITION = 3

/** `rest` is folded and without the option. Null where it gives no number, or several, or an ordinal. */
export function valueIn(rest: string): Value | null {
	const found = [...rest.matchAll(NUMBER)]
	const [only] = found
	if (!only || found.length > 1) return null
	const text = only[0]
	const before = rest.slice(0, only.index)
	const [, behind = '', next = ''] = BEHIND.exec(rest.slice(only.index + text.length)) ?? []
	const given = { text, per: perIn(rest), factor: 1 }
	const month = MONTHS.get(behind) ?? MONTHS.get(BEFORE.exec(before)?.[1] ?? '')
	if (month !== undefined && !isYear(numberOf(text)))
		return { ...given, kind: 'date', value: month * DAYS + numberOf(text) }
	if (ORDINAL.has(behind)) return null
	if (text.includes(':') || behind === 'am' || behind === 'pm' || CLOCK_BEHIND.has(behind))
		return { ...given, ...clockOf(text, behind) }
	if (CLOCK_BEFORE.test(before) && Number(text) <= 24 && !behind)
		return { ...given, kind: 'clock', value: Number(text) * MINUTES }
	return { ...given, ...measured(text, BEFORE.exec(before)?.[1] ?? '', behind, next) }
}

function measured(text: string, before: string, behind: string, next: string) {
	const value = numberOf(text)
	if (behind === 'k') return { value, kind: 'k' }
	const scale = SCALES.get(behind)
	const unit = UNITS.get(before) ?? UNITS.get(scale ? next : behind) ?? SIZES.get(behind)
	const base = value * (scale ?? 1)
	if (unit) return { value: base * unit[1], kind: unit[0], factor: unit[1] }
	if (!behind && isYear(value)) return { value, kind: 'year' }
	return { value: base, kind: !scale && behind.length > LONGEST_PREPOSITION ? 'counted' : 'bare' }
}

/** `half`: with "am" or "pm", which a time of 24 hours has not. */
function clockOf(text: string, half: string): Pick<Value, 'value' | 'kind'> {
	const [hours = 0, minutes = 0] = text.split(/[:.]/).map(Number)
	if (half !== 'am' && half !== 'pm') return { value: hours * MINUTES + minutes, kind: 'clock' }
	return { value: ((hours % 12) + (half === 'pm' ? 12 : 0)) * MINUTES + minutes, kind: 'half' }
}

function perIn(rest: string): string {
	for (const [, word] of rest.matchAll(PER)) {
		const unit = UNITS.get(word!)
		if (unit?.[0] === 'time' || unit?.[0] === 'months') return `${unit[0]} ${unit[1]}`
	}
	return ''
}

const isYear = (value: number): boolean => value >= FIRST_YEAR && value <= LAST_YEAR

function numberOf(text: string): number {
	const plain = text.replace('−', '-')
	const whole = /^-?0/.test(plain) ? plain : plain.replace(/[.,](?=\d{3}(?:\D|$))/g, '')
	return Number(whole.replace(',', '.'))
}

/** "1.250" beside "1.3" is no thousand. */
const isThousands = ({ text }: Value): boolean => /^-?[1-9]\d{0,2}[.,]\d{3}$/.test(text)
const isFraction = ({ text }: Value): boolean => /^-?\d+[.,](?:\d{1,2}|\d{4,})$/.test(text)

/** Thousands beside fractions, where one mark stands for both: "2,400 g" beside "3.1 kg" is clear. */
function mixed(given: readonly Value[]): boolean {
	const marks = (list: readonly Value[]) => new Set(list.map(({ text }) => text.replace(/[\d-]/g, '')[0]))
	const [thousands, fractions] = [marks(given.filter(isThousands)), marks(given.filter(isFraction))]
	return [...thousands].some((mark) => fractions.has(mark))
}

/** Values of one kind, and which; those without a unit take that of the others. Null where they cannot be compared. */
export function comparable(given: readonly Value[]): { kind: string; values: number[] } | null {
	const per = new Set(given.map((one) => one.per).filter(Boolean))
	if (per.size > 1 || mixed(given)) return null
	if (given.some(({ value }) => !Number.isFinite(value))) return null
	const units = inTime(given.filter(({ kind }) => kind !== 'bare'))
	const [first] = units
	if (!first) return { kind: 'bare', values: given.map(({ value }) => value) }
	if (units.some(({ kind }) => kind !== first.kind)) return null
	if (units.length < given.length)
		if (ALONE.has(first.kind) || units.some(({ factor }) => factor !== first.factor)) return null
	const values =
		units.length === given.length
			? units.map(({ value }) => value)
			: given.map(({ kind, value }) => (kind === 'bare' ? value * first.factor : value))
	return { kind: first.kind, values }
}

/** "3 weeks" beside "2 months": months have days. */
const inTime = (units: readonly Value[]): readonly Value[] =>
	units.some(({ kind }) => kind === 'time')
		? units.map((one) =>
				one.kind === 'months' ? { ...one, kind: 'time', value: one.value * MONTH_SECONDS } : one,
			)
		: units

const MONTH_SECONDS = 30.4 * 86_400

/** A number without a unit is none of these. */
const ALONE = new Set(['date', 'clock', 'half', 'year', 'k'])
