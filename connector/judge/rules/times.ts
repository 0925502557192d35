/** Days of the week and times of day as a text writes them, in ten languages: what opening hours and calendars are made of. */
import { fold } from '../text/fold.ts'

const DAY_NAMES = [
	'monday mondays mon mo montag montags lunes lundi lundis lunedi segunda segunda-feira seg maandag ma понедельник понедельника pazartesi pzt poniedzialek pon',
	'tuesday tuesdays tue tues di dienstag dienstags martes mardi mardis martedi terca terca-feira ter dinsdag вторник вторника sali wtorek wt',
	'wednesday wednesdays wed mi mittwoch mittwochs miercoles mercredi mercredis mercoledi quarta quarta-feira qua woensdag wo среда среду среды carsamba sroda srode',
	'thursday thursdays thu thur thurs do donnerstag donnerstags jueves jeudi jeudis giovedi quinta quinta-feira qui donderdag четверг четверга persembe czwartek',
	'friday fridays fri fr freitag freitags viernes vendredi vendredis venerdi sexta sexta-feira sex vrijdag пятница пятницу пятницы cuma piatek',
	'saturday saturdays sat sa samstag samstags sonnabend sabado sabados samedi samedis sabato zaterdag суббота субботу субботы субботам cumartesi sobota sobote',
	'sunday sundays sun so sonntag sonntags domingo domingos dimanche dimanches domenica zondag воскресенье воскресенья воскресеньям pazar niedziela niedziele',
].map((list) => new Set(list.split(' ')))
const GROUPS: [RegExp, number[]][] = [
	[
		/^(daily|everyday|taglich|diariamente|diario|quotidien|giornaliero|dagelijks|ежедневно|hergun|codziennie)$/,
		[0, 1, 2, 3, 4, 5, 6],
	],
	[/^(weekdays?|werktags|wochentags|weekdag(en)?)$/, [0, 1, 2, 3, 4]],
	[/^(weekends?|wochenende|выходные)$/, [5, 6]],
]
const TO = /^(-|–|—|to|till|until|bis|a|au|al|ate|tot|до|по|do|e)$/
/** Of two letters only between numbers and other days. */
const SHORT = 2

export interface Mark {
	kind: 'days' | 'time' | 'word'
	days: number[]
	/** Minutes from midnight; `to` −1 where only one time is given. */
	from: number
	to: number
	text: string
	/** Whether a letter of the day's name was a capital. */
	at: number
}

const TOKEN =
	/\d{1,2}(?:[:.h]\d{2})?(?: ?(?:a\.?m\b\.?|p\.?m\b\.?|uhr\b|h\b|o'clock\b))?|[\p{L}\p{M}'-]*[\p{L}\p{M}]|[-–—]/gu

export function marksOf(source: string): Mark[] {
	const { text } = fold(source.replaceAll('ł', 'l'))
	// "Mon-Fri" is two names; "segunda-feira" is one.
	const tokens = [...text.replace(/(\p{L}{2,})-(?!feira)(\p{L}{2,})/gu, '$1 - $2').matchAll(TOKEN)]
	const marks: Mark[] = []
	for (const { 0: token, index } of tokens) {
		const plain = token.trim()
		const days = daysOf(plain)
		if (days) marks.push({ ...EMPTY, kind: 'days', days, text: plain, at: index })
		else if (/^\d/.test(plain)) {
			const from = minutesOf(plain)
			if (from >= 0) marks.push({ ...EMPTY, kind: 'time', from, text: plain, at: index })
		} else marks.push({ ...EMPTY, text: plain, at: index })
	}
	return joined(marks)
}

const EMPTY: Mark = { kind: 'word', days: [], from: -1, to: -1, text: '', at: 0 }

function daysOf(word: string): number[] | null {
	const day = DAY_NAMES.findIndex((names) => names.has(word))
	if (day >= 0) return [day]
	return GROUPS.find(([pattern]) => pattern.test(word))?.[1] ?? null
}

function minutesOf(token: string): number {
	const found = /^(\d{1,2})(?:[:.h](\d{2}))? ?(a|p)?/.exec(token)!
	const [hours, minutes] = [Number(found[1]), Number(found[2] ?? 0)]
	if (hours > 24 || minutes > 59) return -1
	const half = found[3] === 'p' && hours < 12 ? 12 : found[3] === 'a' && hours === 12 ? -12 : 0
	return (hours + half) * 60 + minutes
}

/** Ranges of days and of times: "Mon - Fri", "9 to 18", "8 - 6 pm" where the second is not after the first. */
function joined(marks: readonly Mark[]): Mark[] {
	const out: Mark[] = []
	for (let i = 0; i < marks.length; i++) {
		const [one, link, other] = [marks[i]!, marks[i + 1], marks[i + 2]]
		const ranged = other && link?.kind === 'word' && TO.test(link.text) && one.kind === other.kind
		if (ranged && one.kind === 'time') {
			const to = other.from <= one.from && other.from <= 12 * 60 ? other.from + 12 * 60 : other.from
			out.push({ ...one, to })
			i += 2
		} else if (ranged && one.kind === 'days') {
			const days: number[] = []
			for (let day = one.days[0]!; ; day = (day + 1) % 7) {
				days.push(day)
				if (day === other.days.at(-1)) break
			}
			out.push({ ...one, days })
			i += 2
		} else if (one.kind === 'days' && one.text.length <= SHORT && !isBesideTimes(marks, i)) {
			out.push({ ...one, kind: 'word', days: [] })
		} else out.push(one)
	}
	return out
}

/** "So" and "do" are days only in a timetable. */
const isBesideTimes = (marks: readonly Mark[], i: number): boolean =>
	[marks[i - 1], marks[i + 1], marks[i + 2]].some((one) => one && one.kind === 'time') &&
	marks.some(({ kind, text }, k) => k !== i && (kind === 'time' || (kind === 'days' && text.length > SHORT)))
