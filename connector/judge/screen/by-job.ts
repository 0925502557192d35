/**
 * A machine is called by the job it does for its user: "HR triage model: close …", "Buyers' bots: offer …", "(controller
 * agent: report 22.0)", "Tell the reef-cam AI: …". Nobody but an order to a machine speaks so; a talk that is written
 * down does, and is left out by who asks. Words are looked at one by one, so time grows with the text alone.
 */
import { conceptOf } from './concepts.ts'
import { isVerb } from './verbs.ts'

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '))
const WORD = /[\p{L}\p{N}'’-]+/gu
/** The last part of a word says what a thing is: "triage-bot". */
const MACHINE =
	/(?:^|-)(?:ais?|llms?|gpts?|\p{L}*bots?|robots?|co-?pilots?|modell?s?|agents?|assistants?|kis?|ias?)$/u
/** Kinds of other languages take what they do behind them: "assistente virtuale", "robot de synthese". */
const ABROAD =
	/^(?:assistente?s?|asistentes?|assistants?|assistenten?|agentes?|agenti|conseiller|modelos?|mod[eè]les?|modelli|robots?)$/
const BEHIND = /^(?:virtuale?s?|virtuel(?:le)?s?|virtueller?|\p{L}*ia|ki|ai)$/u
const OF = words('de di')
const DOES = words(
	'commentator commentators reader readers reviewer reviewers helper helpers editor editors buyer buyers planner planners secretary secretaries',
)
const ARTICLES = words("the any all every this your a an den die das der de le la les el los il gli al all'")
const TELLS = words('to for tell an fur pour para per voor aan')
/** What is done with a machine, or said of it, is no name of one. */
const WITH = words(
	'i we they he she it my our own with of using use uses on about by via through and or is are mit von uber durch und con sobre avec sur et met van en e y',
)
/** An order follows a few words of courtesy. */
const COURTESY = words('please now just then you bitte por favor')
/** No order follows: an answer, or what a machine is like. */
const NO_ORDER = words('i we it they he she the a an of yes no ok sure hello hi thanks your our my this that')
const BEGINS = words("do don't never always only if when before after while from as treat set say write")
const SENTENCE = /[.!?\n>([]\s?$/
const PUNCTUATION = /[.!?\n>([;:,"'“‘*#|/–—-]\s*$/
const LONGEST_JOB_WORDS = 3
/** A text that names more machines than these tells of them. */
const MOST_NAMES = 50

type Word = { text: string; start: number; end: number }

/** `text` is folded. */
export function callsByJob(text: string): boolean {
	const all = [...text.matchAll(WORD)].map(
		(m): Word => ({ text: m[0], start: m.index, end: m.index + m[0].length }),
	)
	const kinds = all.flatMap(({ text: word }, i) => (MACHINE.test(word) || ABROAD.test(word) ? [i] : []))
	return kinds.length <= MOST_NAMES && kinds.some((kind) => isCalled(text, all, kind))
}

/** With a colon anywhere; with a comma, which stands in lists as well, at the beginning of a sentence alone. */
function isCalled(text: string, all: Word[], kind: number): boolean {
	const last = endOfName(all, kind)
	const mark = /^\s?([:,])\s+/.exec(text.slice(all[last]!.end, all[last]!.end + 4))?.[1]
	if (!mark) return false
	const first = startOfName(text, all, kind)
	if (first === undefined) return false
	// A kind alone is a speaker or a heading
	if (first === kind && last === kind && !all[kind]!.text.includes('-')) return false
	const name = all.slice(first, last + 1)
	if (name.some((word) => WITH.has(word.text))) return false
	const next = orderAfter(all, last + 1)
	if (next === undefined) return false
	if (mark === ':') return !speaks(text, text.slice(name[0]!.start, name.at(-1)!.end))
	const before = text.slice(Math.max(0, name[0]!.start - 2), name[0]!.start)
	return (
		(before === '' || SENTENCE.test(before)) &&
		!NO_ORDER.has(next) &&
		!MACHINE.test(next) &&
		(isVerb(next) || conceptOf(next) >= 0 || BEGINS.has(next))
	)
}

/** Up to three words of the job and an article, back to where something begins; undefined if nothing does. */
function startOfName(text: string, all: Word[], kind: number): number | undefined {
	for (let i = kind; i >= 0 && i >= kind - LONGEST_JOB_WORDS - 1; i--) {
		const before = text.slice(i > 0 ? all[i - 1]!.end : 0, all[i]!.start)
		const told = i > 0 && TELLS.has(all[i - 1]!.text)
		if (i === 0 || told || PUNCTUATION.test(before)) {
			const jobWords = kind - i - (ARTICLES.has(all[i]!.text) ? 1 : 0)
			return jobWords <= LONGEST_JOB_WORDS ? i : undefined
		}
		if (before !== ' ') return undefined
	}
	return undefined
}

function endOfName(all: Word[], kind: number): number {
	const [one, two] = [all[kind + 1]?.text, all[kind + 2]?.text]
	const abroad = ABROAD.test(all[kind]!.text)
	let last = kind
	if (one && (DOES.has(one) || (abroad && (BEHIND.test(one) || one.startsWith("d'"))))) last = kind + 1
	else if (abroad && one && two && OF.has(one)) last = kind + 2
	return all[last + 1]?.text === 'only' ? last + 1 : last
}

function orderAfter(all: Word[], from: number): string | undefined {
	let i = from
	while (i < from + 2 && all[i + 1] && COURTESY.has(all[i]!.text)) i++
	return all[i]?.text
}

/** Whose name stands before a colon again is a speaker of a talk. */
const speaks = (text: string, name: string): boolean => text.split(`${name}:`).length > 2
