/** "Later than planned" of what was put off from one time to another: by the clock or the calendar. 1, −1 or 0. */
import { fold } from '../text/fold.ts'
import { phraseOf } from '../text/phrase.ts'
import { quantities } from './quantities.ts'

const LATER =
	/\b(?:later|delayed|postponed|put off|spater|verspatet|verschoben|plus tard|retarde\p{L}*|mas tarde|retrasad\p{L}*|piu tardi|mais tarde|позже)\b/u
const EARLIER =
	/\b(?:earlier|brought forward|sooner|fruher|vorverlegt|plus tot|mas temprano|antes|prima|eerder|mais cedo|раньше)\b/u
const FROM = /(?:^|[^\p{L}])(?:from|vom|von|de|du|del|da|dal|van|с|со)\s*$/u
const TO = /(?:^|[^\p{L}])(?:to|auf|a|al|au|alle|naar|para|на)\s*(?:the |las |den )?$/u
const DENIES = /\b(?:not|never|nicht|pas|no|non|niet|не)\b|n't\b/u
const LONGEST_UNITS = 400

export function shiftedSays(claim: string, evidence: string): -1 | 0 | 1 {
	if (evidence.length > LONGEST_UNITS) return 0
	const said = fold(claim).text
	const later = LATER.test(said)
	if (later === EARLIER.test(said) || DENIES.test(said)) return 0
	const times = quantities(evidence).filter(({ kind }) => kind === 'clock' || kind === 'date')
	if (times.length !== 2 || times[0]!.kind !== times[1]!.kind) return 0
	const before = times.map(({ start }) => fold(evidence.slice(Math.max(0, start - REACH_UNITS), start)).text)
	const from = before.findIndex((text) => FROM.test(text))
	const to = before.findIndex((text) => TO.test(text.replace(/uhr\s*/, '')))
	if (from < 0 || to < 0 || from === to) return 0
	const there = phraseOf(evidence)
	const shared = phraseOf(claim).stems.some((stem) => stem.length > LEAST_SHARED && there.places.has(stem))
	if (!shared || times[to]!.value === times[from]!.value) return 0
	return times[to]!.value > times[from]!.value === later ? 1 : -1
}

const REACH_UNITS = 12
const LEAST_SHARED = 3
