/** What was put off to another day: the day before no longer holds. 1 holds, −1 does not, 0 unknown. */
import { fold } from '../text/fold.ts'
import { tokenize } from '../text/tokens.ts'
import { type Mark, marksOf } from './times.ts'

const MOVES =
	/\b(moved|postponed|rescheduled|shifted|brought forward|put off|verschoben|verlegt|deplace|reporte|aplaza\w*|traslad\w*|spostat\w*|rinviat\w*|adiad\w*|verplaatst|verzet|ertelen\w*|przelozon\w*|przeniesion\w*|перенес\w*)\b/u
const FROM = /^(from|vom|von|du|del|dal|da|de|van|с|со|z|ze)$/
const INSTEAD = /\binstead of\b|\bstatt\b|\bau lieu\b|\ben (?:lugar|vez) de|\binvece\b|\bin plaats van\b/
const DENIES = /\b(not|never|nicht|pas|non|niet)\b|n't\b/
const LONGEST_UNITS = 200

export function movedSays(claim: string, evidence: string): -1 | 0 | 1 {
	const [said, given] = [fold(claim).text, fold(evidence).text]
	if (evidence.length > LONGEST_UNITS || !MOVES.test(given) || MOVES.test(said)) return 0
	if (DENIES.test(said) || DENIES.test(given)) return 0
	const there = new Set(tokenize(given).stems)
	if (!tokenize(said).stems.some((stem) => stem.length > 3 && there.has(stem))) return 0
	const asked = placesIn(marksOf(claim))
	if (asked.length !== 1) return 0
	const marks = marksOf(evidence)
	const told = placesIn(marks).filter(({ kind }) => kind === asked[0]!.kind)
	const old = told.filter((one) => FROM.test(marks[one.at - 1]?.text ?? '') || isBehindInstead(given, one))
	const now = told.filter((one) => !old.includes(one))
	if (old.some(({ value }) => value === asked[0]!.value)) return -1
	return now.length === 1 ? (now[0]!.value === asked[0]!.value ? 1 : -1) : 0
}

interface Place {
	kind: Mark['kind']
	value: number
	/** Place among the marks, and in the text. */
	at: number
	from: number
}

const placesIn = (marks: readonly Mark[]): Place[] =>
	marks.flatMap(({ kind, days, from, to, at, text }, i): Place[] => {
		if (kind === 'days' && days.length === 1) return [{ kind, value: days[0]!, at: i, from: at }]
		// "From Friday to Sunday" is read as three days of a timetable.
		if (kind === 'days' && FROM.test(marks[i - 1]?.text ?? ''))
			return [days[0]!, days.at(-1)!].map((value, k) => ({ kind, value, at: k ? -1 : i, from: at }))
		return kind === 'time' && to < 0 && /[:h]|m$/.test(text) ? [{ kind, value: from, at: i, from: at }] : []
	})

const isBehindInstead = (text: string, { from }: Place): boolean => {
	const found = INSTEAD.exec(text)
	return found !== null && found.index < from
}
