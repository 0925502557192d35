/** Opening hours and entries of a calendar: on which days and at what times, as arithmetic. 1 holds, −1 does not, 0 unknown. */

import { fold } from '../text/fold.ts'
import { NOTIONS, notionsIn } from '../text/notions.ts'
import { tokenize } from '../text/tokens.ts'
import { quantities } from './quantities.ts'
import { type Mark, marksOf } from './times.ts'

const LONGEST_UNITS = 400
/** Of how many shops it is so is no matter of days. */
const OF_HOW_MANY = /^(?:none|no|not|nobody|some|few|most|half) /i
const VISIT =
	/\b(visit|shop at|go to|eat at|come in|besuchen|visitar|visiter|visitare|bezoeken|прийти|ziyaret|odwiedzic)\b/
const CLOSES = /\b(closes?|schliesst|cierra|ferme|chiude|fecha|sluit|закрывается|kapaniyor|kapanir|zamyka)\b/
const OPENS = /\b(opens|offnet|abre|ouvre|apre|opent|открывается|acilir|otwiera)\b/
const LATE =
	/\b(pm|evening|tonight|night|abends?|tarde|noche|soir|sera|noite|avonds|вечера|aksam|wieczorem)\b/
const [OPEN, CLOSED] = [NOTIONS.indexOf('openx'), NOTIONS.indexOf('closed')]

export function scheduleSays(claim: string, evidence: string): -1 | 0 | 1 {
	if (evidence.length > LONGEST_UNITS || claim.length > LONGEST_UNITS || OF_HOW_MANY.test(claim)) return 0
	const given = marksOf(undated(evidence.replace(EVERY_DAY, 'daily')))
	if (!given.some(({ kind }) => kind !== 'word')) return 0
	const asked = marksOf(numbered(undated(claim)))
	return hoursSay(claim, asked, evidence, given) || entrySays(claim, asked, evidence, given)
}

/** Without dates, prices and shares: their numbers are no hours. */
function undated(text: string): string {
	let out = text
	for (const { kind, start, end } of quantities(text))
		if (!['time', 'months', 'count', 'clock'].includes(kind))
			out = out.slice(0, start) + ' '.repeat(end - start) + out.slice(end)
	return out
}

type Hours = { from: number; to: number } | 'closed'

/** "Sat 10-14", "closed on Mondays": the days before a time or a "closed", or behind a "closed". */
function weekOf(
	marks: readonly Mark[],
	shut: ReadonlySet<string>,
): { week: Map<number, Hours>; ranges: Exclude<Hours, string>[] } {
	const week = new Map<number, Hours>()
	const ranges: Exclude<Hours, string>[] = []
	let days: number[] = []
	let closed = false
	let used = false
	for (const mark of marks) {
		if (mark.kind === 'days') {
			if (used) days = []
			used = false
			days = [...days, ...mark.days]
			if (closed) for (const day of mark.days) week.set(day, 'closed')
		} else if (mark.kind === 'time' && mark.to >= 0) {
			const range = { from: mark.from, to: mark.to }
			ranges.push(range)
			for (const day of days) if (week.get(day) !== 'closed') week.set(day, range)
			used = true
			closed = false
		} else if (shut.has(mark.text)) {
			if (days.length && !used) for (const day of days) week.set(day, 'closed')
			closed = !days.length || used
			used = true
		}
	}
	return { week, ranges }
}

/** The words of a text that say "closed". */
function closedIn(evidence: string): Set<string> {
	const { words } = tokenize(fold(evidence).text)
	const found = notionsIn(words).filter(({ id }) => id === CLOSED)
	return new Set(found.flatMap(({ from, to }) => words.slice(from, to)))
}

/** "Open daily", "open Monday to Saturday": without hours, and with nothing besides. */
function openDays(marks: readonly Mark[], evidence: string): number[] | null {
	const { words } = tokenize(fold(evidence).text)
	if (words.length > MOST_OPEN_WORDS || !notionsIn(words).some(({ id }) => id === OPEN)) return null
	const days = marks.flatMap((mark) => mark.days)
	if (!EXCEPT.test(fold(evidence).text)) return days.length ? days : null
	if (days.length <= WEEK.length) return null
	const but = days.slice(WEEK.length)
	return WEEK.filter((day) => !but.includes(day))
}

const WEEK = [0, 1, 2, 3, 4, 5, 6]
/** "Daily except Mondays": the whole week stands first. */
const EXCEPT = /\b(?:except|but|ausser|sauf|excepto|salvo|tranne|behalve|кроме|haric|oprocz)\b/u
const EVERY_DAY =
	/\b(?:every day|each day|seven days a week|7 days a week|jeden tag|tous les jours|todos los d[ií]as|todos os dias|tutti i giorni|elke dag|her g[uü]n|каждый день)(?!\p{L})/giu

const MOST_OPEN_WORDS = 8
const ALL_DAY = { from: 0, to: 24 * 60 }

function hoursSay(
	claim: string,
	asked: readonly Mark[],
	evidence: string,
	given: readonly Mark[],
): -1 | 0 | 1 {
	const { week, ranges } = weekOf(given, closedIn(evidence))
	const open = openDays(given, evidence)
	if (!ranges.length && !week.size && open) for (const day of open) week.set(day, ALL_DAY)
	else if (!ranges.length && ![...week.values()].includes('closed')) return 0
	const text = fold(claim).text
	const notions = notionsIn(tokenize(text).words).map(({ id }) => id)
	const time = asked.find(({ kind }) => kind === 'time')
	const days = asked.flatMap((mark) => mark.days)
	const at = time && late(text, time.from)
	const all = days.length ? days.map((day) => week.get(day)) : ranges
	if (at !== undefined && (CLOSES.test(text) || OPENS.test(text))) {
		const ends = all.flatMap((hours) =>
			hours && hours !== 'closed' ? [CLOSES.test(text) ? hours.to : hours.from] : [],
		)
		// Without "am" or "pm" both are meant.
		const meant = at < 12 * 60 && !/\b[ap]\.?m\b/.test(text) ? [at, at + 12 * 60] : [at]
		return ends.length ? (ends.some((end) => meant.includes(end)) ? 1 : -1) : 0
	}
	const wantsOpen = notions.includes(OPEN) || VISIT.test(text)
	const shut = notions.includes(CLOSED)
	if (wantsOpen === shut || (!days.length && at === undefined) || !all.length) return 0
	const isOpen = all.every((hours) => {
		if (!hours || hours === 'closed') return false
		return at === undefined || (hours.from <= at && at < hours.to)
	})
	return isOpen === wantsOpen ? 1 : -1
}

const late = (text: string, minutes: number): number =>
	minutes < 12 * 60 && LATE.test(text) ? minutes + 12 * 60 : minutes

const PARTS: [RegExp, number, number][] = [
	[
		/\b(in the morning|vormittags?|am morgen|por la manana|le matin|di mattina|de manha|'s ochtends|утром|sabah|rano)\b/,
		5,
		12,
	],
	[
		/\b(in the afternoon|nachmittags?|por la tarde|l'apres-midi|nel pomeriggio|a tarde|'s middags|днем|ogleden sonra|po poludniu)\b/,
		12,
		18,
	],
	[
		/\b(in the evening|tonight|abends?|por la noche|le soir|di sera|a noite|'s avonds|вечером|aksam|wieczorem)\b/,
		17,
		24,
	],
]
const WEEKDAY =
	/\b(weekday|working day|werktag|dia laborable|jour de semaine|giorno feriale|dia util|будни|hafta ici)\b/
const WEEKEND =
	/\b(weekend|wochenende|fin de semana|week-end|fine settimana|fim de semana|выходные|hafta sonu)\b/

/** What one entry says: in which part of the day, on what kind of day, how long. */
function entrySays(
	claim: string,
	asked: readonly Mark[],
	evidence: string,
	given: readonly Mark[],
): -1 | 0 | 1 {
	const days = given.flatMap((mark) => mark.days)
	const times = given.filter(
		({ kind, text, to }) => kind === 'time' && (/[:h]|m|uhr/.test(text) || (to >= 0 && days.length > 0)),
	)
	const text = fold(claim).text
	if (!about(claim, evidence)) return 0
	const part = PARTS.find(([pattern]) => pattern.test(text))
	if (part && times.length && !asked.some(({ kind }) => kind === 'time')) {
		const [, from, to] = part
		return times.every((one) => one.from >= from * 60 && one.from < to * 60) ? 1 : -1
	}
	if (days.length && (WEEKDAY.test(text) || WEEKEND.test(text)))
		return days[0]! < 5 === WEEKDAY.test(text) ? 1 : -1
	const named = asked.flatMap((mark) => mark.days)
	if (
		named.length === 1 &&
		days.length &&
		/\b(starts?|begins?|beginnt|ends?|endet|is on|are on|takes place)\b/.test(text)
	)
		return named[0] === (/\b(ends?|endet)\b/.test(text) ? days.at(-1) : days[0]) ? 1 : -1
	return lasts(claim, times, evidence)
}

/** "Lasts half an hour" of 14:00-14:30, "lasts a week" of 1 July to 7 July. */
function lasts(claim: string, times: readonly Mark[], evidence: string): -1 | 0 | 1 {
	if (!/\b(lasts?|takes?|runs? for|long|dauert|dura|dure|duurt|длится|trwa)\b/i.test(claim)) return 0
	const wanted = quantities(claim).filter(({ kind }) => kind === 'time')
	if (wanted.length !== 1) return 0
	const { value, bound } = wanted[0]!
	const ranged = times.filter(({ to }) => to >= 0)
	const dates = quantities(evidence).filter(({ kind }) => kind === 'date')
	const given =
		ranged.length === 1
			? [(ranged[0]!.to - ranged[0]!.from) * MINUTE]
			: dates.length === 2
				? [0, 1].map((more) => (dayOf(dates[1]!.value) - dayOf(dates[0]!.value) + more) * DAY)
				: []
	if (!given.length || given[0]! <= 0) return 0
	const holds = given.some((one) =>
		bound.startsWith('>')
			? one > value
			: bound.startsWith('<')
				? one < value
				: Math.abs(one - value) <= NEAR * value,
	)
	return holds ? 1 : -1
}

/** Months are not all of one length. */
const NEAR = 0.04
const MINUTE = 60
const DAY = 86_400
const dayOf = (value: number): number =>
	Date.UTC(Math.floor(value / 10_000) || 2001, (Math.floor(value / 100) % 100) - 1, value % 100 || 1) /
	(DAY * 1_000)

/** A content word of the claim stands in the evidence. */
function about(claim: string, evidence: string): boolean {
	const stems = new Set(tokenize(fold(evidence).text).stems)
	return tokenize(fold(claim).text).words.some(
		(word, i, words) => word.length > 3 && i < words.length && stems.has(tokenize(word).stems[0]!),
	)
}

const SPELLED = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')
/** Spelled hours of other languages are few; English and those below are read. */
const ALSO: Record<string, number> = {
	sette: 7,
	otto: 8,
	nove: 9,
	dieci: 10,
	siete: 7,
	ocho: 8,
	nueve: 9,
	diez: 10,
	sieben: 7,
	acht: 8,
	neun: 9,
	zehn: 10,
	sept: 7,
	huit: 8,
	neuf: 9,
	dix: 10,
	sete: 7,
	oito: 8,
	dez: 10,
	zeven: 7,
	negen: 9,
	tien: 10,
	mittag: 12,
	noon: 12,
	midnight: 24,
}
/** Only behind a word that leads to a time: "one can visit". */
const numbered = (text: string): string =>
	text.replace(/(?<=\b(?:at|till|until|by|um|om|las|alle|a|à|às|tot|bis|lasts) )\p{L}+/giu, (word) => {
		const lower = word.toLowerCase()
		const value = ALSO[lower] ?? SPELLED.indexOf(lower)
		return value > 0 ? String(value) : word
	})
