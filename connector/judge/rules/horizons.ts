/**
 * By when: levels that are times from now ("today", "this week", "any time"), and the soonest time that a text gives.
 * All of it are closed lists: days, units of time, words for now and for no hurry.
 */
import { fold } from '../text/fold.ts'
import { quantities } from './quantities.ts'
import { marksOf } from './times.ts'

const HOUR = 1
const DAY = 24
const WEEK = 7 * DAY
const MONTH = 30 * DAY
const YEAR = 365 * DAY
const NEVER = 10 * YEAR

/** Hours from now. Read in this order: "no deadline today" has none. */
const NAMED: [RegExp, number][] = [
	[
		/\b(?:any ?time|no deadline|no (?:rush|hurry)|not urgent|whenever|eventually|some ?day|indefinitely|can wait|no time limit|keine eile|irgendwann|jederzeit|pas presse|sans urgence|sin prisa|cuando (?:quiera|pueda)|senza fretta|geen haast|не срочно)\b/u,
		NEVER,
	],
	[
		/\b(?:immediate(?:ly)?|at once|right (?:away|now)|(?<!\bby )now|instantly|straight ?away|asap|as soon as possible|without delay|this (?:minute|second|instant)|sofort|jetzt|umgehend|gleich|tout de suite|immediatement|maintenant|ahora(?: mismo)?|enseguida|subito|adesso|immediatamente|nu|direct|meteen|agora|imediatamente|сеичас|немедленно|срочно|hemen|simdi|natychmiast|teraz)\b/u,
		HOUR / 4,
	],
	[/\b(?:within (?:the|an|one) hour|the next hour|next hour|innerhalb einer stunde|dans l'heure)\b/u, HOUR],
	[
		/\b(?:today|tonight|this (?:morning|afternoon|evening|noon)|same day|by noon|end of (?:the )?day|close of business|eod|heute|aujourd'hui|ce soir|hoy|esta (?:tarde|noche)|oggi|stasera|vandaag|vanavond|hoje|сегодня|bugun|dzis(?:iaj)?)\b/u,
		DAY / 3,
	],
	[/\b(?:tomorrow|next day|overnight|morgen|demain|manana|domani|amanha|завтра|yarin|jutro)\b/u, 1.4 * DAY],
	[/\b(?:the )?day after tomorrow\b|\bubermorgen\b|\bapres-demain\b|\bpasado manana\b/u, 2.4 * DAY],
	[
		/\b(?:this week|(?:with)?in (?:a few |the next few )?days|few days|by the weekend|end of the week|diese woche|cette semaine|esta semana|questa settimana|deze week|на этои неделе|bu hafta)\b/u,
		4 * DAY,
	],
	[
		/\b(?:next week|nachste woche|semaine prochaine|proxima semana|prossima settimana|volgende week)\b/u,
		1.3 * WEEK,
	],
	[
		/\b(?:this month|(?:with)?in (?:a few |the next few )?weeks|few weeks|end of the month|diesen monat|ce mois|este mes|questo mese|deze maand)\b/u,
		2.5 * WEEK,
	],
	[/\b(?:next month|nachsten monat|mois prochain|proximo mes|prossimo mese|volgende maand)\b/u, 1.5 * MONTH],
	[
		/\b(?:this (?:quarter|year|summer|winter|spring|autumn)|(?:with)?in (?:a few )?months|few months|dieses jahr)\b/u,
		4 * MONTH,
	],
	[/\b(?:next (?:quarter|year|summer|winter|spring|autumn)|nachstes jahr)\b/u, 14 * MONTH],
]

const UNIT_HOURS: Record<string, number> = { time: 1 / 3_600, months: MONTH }
const A_UNIT: [RegExp, number][] = [
	[/\b(?:an?|one|the|next) hour\b/u, HOUR],
	[/\b(?:a|one|the same) day\b/u, DAY],
	[/\b(?:a|one) week\b/u, WEEK],
	[/\b(?:a|one) month\b/u, MONTH],
	[/\b(?:a|one) minute\b/u, HOUR / 60],
]

/** The time that a level gives, in hours from now; null where it gives none. */
function levelHours(level: string): number | null {
	const text = fold(level).text
	const named = NAMED.find(([pattern]) => pattern.test(text))
	if (named && named[1] !== 1.4 * DAY) return named[1]
	const timed = hoursIn(level)
	if (timed.length === 1) return timed[0]!
	return named?.[1] ?? A_UNIT.find(([pattern]) => pattern.test(text))?.[1] ?? null
}

const hoursIn = (text: string): number[] =>
	quantities(text).flatMap(({ kind, value }) => (kind in UNIT_HOURS ? [value * UNIT_HOURS[kind]!] : []))

/** What was: "since this morning", "two days ago", "last week". */
const PAST =
	/\b(?:since|ago|last|for|past|yesterday|was|were|had|did|already|seit|vor|gestern|depuis|hier|hace|ayer|desde|fa|ieri|sinds|geleden)\b(?! (?:the )?(?:latest|next))/u
const DUE =
	/\b(?:by|until|till|before|within|in|at|on|deadline|due|latest|needs?|must|closes?|expires?|bis|avant|d'ici|antes|para|entro|voor|tegen|до|к)\b/u
const ASKED =
	/\b(?:by when|how (?:soon|quickly|fast|urgent\p{L}*|long can)|when (?:must|should|does|do|is|are|has|have)|deadline|urgen\p{L}*|priorit\p{L}*|wie (?:schnell|bald|dringend)|bis wann|quand|cuando|quando|wanneer|когда)\b/u

const isAsked = (question: string): boolean => ASKED.test(fold(question).text)

/** The levels' times, where all have one and they rise or fall; null else. */
export function horizonsOf(question: string, levels: readonly string[]): number[] | null {
	if (!isAsked(question)) return null
	const hours = levels.map(levelHours)
	if (hours.some((one) => one === null)) return null
	const list = hours as number[]
	const steps = list.slice(1).map((one, i) => Math.sign(one - list[i]!))
	return steps.length && steps[0] !== 0 && steps.every((step) => step === steps[0]) ? list : null
}

/** The soonest time by which a text wants something, in hours from now; null where it gives none. */
export function soonest(source: string): number | null {
	const found: number[] = []
	for (const clause of source.split(/(?<=[.!?;\n])\s+|,\s|\s(?:and|but|und|et|y|e)\s/u)) {
		const text = fold(clause).text
		const past = PAST.test(text) && !DUE.test(text)
		for (const [pattern, hours] of NAMED) if (pattern.test(text) && !past) found.push(hours)
		if (past) continue
		if (/\b(?:within|in|next|innerhalb|dans|en|entro|binnen)\b/u.test(text)) found.push(...hoursIn(clause))
		const days = marksOf(clause).filter(({ kind }) => kind === 'days')
		if (days.length && DUE.test(text)) found.push(DAYS_TO_A_DAY)
	}
	return found.length ? Math.min(...found) : null
}

/** A day of the week is so far away on average. */
const DAYS_TO_A_DAY = 3.5 * DAY

/** The level whose time is the nearest, by its logarithm. */
export function horizonLevel(hours: readonly number[], wanted: number): number {
	const gaps = hours.map((one) => Math.abs(Math.log(one / wanted)))
	return gaps.indexOf(Math.min(...gaps))
}
