/** Settings and constants of programs: `MAX_RETRIES = 5`, `backup: disabled`. 1 holds, −1 does not, 0 unknown. */
import { fold } from '../text/fold.ts'
import { tokenize } from '../text/tokens.ts'
import { NUMBER_WORDS, UNITS } from './words.ts'

const LINE =
	/^\s*(?:(?:export|const|let|var|final|static|public|private|int|val|set|define) )*["']?([A-Za-z_][\w.-]*)["']?\s*(?:=>?|:)\s*["']?(-?\d+(?:\.\d+)?|[A-Za-z]+)\s?([A-Za-z%]*)["']?,?\s*(?:(?:#|\/\/).*)?$/
const ON = new Set('true on yes enabled active'.split(' '))
const OFF = new Set('false off no disabled inactive'.split(' '))
const SAYS_ON = /\b(on|enabled|active|activated|allowed|used|visible|turned on)\b/
const SAYS_OFF = /\b(off|disabled|inactive|deactivated|not allowed|forbidden|hidden|turned off)\b/
const DENIES = /\b(not|no|never|isn't|aren't)\b/
const TURNS = /^(disable|no|skip|without)/
/** They say what kind of setting it is, not of what. */
const GENERIC = new Set(
	'max min maximum minimum limit default num number count is enable enabled size value total'.split(' '),
)
const PREFIX_UNITS = 4

interface Setting {
	words: string[]
	value: string
	unit: string
}

/** All lines of the text are settings, or none is read. */
function settingsIn(text: string): Setting[] {
	const lines = text.split(/[\n;]/).filter((line) => line.trim())
	const found = lines.map((line) => LINE.exec(line))
	if (!found.every((one) => one && isValue(one[2]!))) return []
	return found.map((one) => {
		const words = one![1]!
			.replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
			.split(/[\s_.-]+/)
			.map((word) => word.toLowerCase())
		return {
			words,
			value: one![2]!.toLowerCase(),
			unit: one![3]!.toLowerCase() || (words.find((word) => UNITS.has(word)) ?? ''),
		}
	})
}

const isValue = (value: string): boolean =>
	/^-?\d/.test(value) || ON.has(value.toLowerCase()) || OFF.has(value.toLowerCase())

export function settingSays(claim: string, evidence: string): -1 | 0 | 1 {
	const settings = settingsIn(evidence)
	if (!settings.length) return 0
	const { text } = fold(claim)
	const { words, stems } = tokenize(text)
	const shares = settings.map(({ words: own }) => {
		const telling = own.filter((word) => word && !GENERIC.has(word) && !UNITS.has(word))
		return telling.filter((word) => isNamed(word, words, stems)).length / (telling.length || Infinity)
	})
	const most = Math.max(...shares)
	if (most < 0.5 || shares.filter((share) => share === most).length > 1) return 0
	const { value, unit, words: own } = settings[shares.indexOf(most)]!
	return /\d/.test(value)
		? numberSays(words, text, Number(value), unit)
		: switchSays(text, ON.has(value) !== TURNS.test(own[0]!))
}

/** "retries" is named by "retry", "timeout" by "time": the first four letters are the same. */
const isNamed = (word: string, words: readonly string[], stems: readonly string[]): boolean => {
	const own = tokenize(word).stems[0]!
	return (
		stems.includes(own) ||
		(word.length > PREFIX_UNITS &&
			words.some((one) => one.slice(0, PREFIX_UNITS) === word.slice(0, PREFIX_UNITS)))
	)
}

function numberSays(words: readonly string[], text: string, value: number, unit: string): -1 | 0 | 1 {
	const numbers = words.flatMap((word, i) => {
		const number = /^\d/.test(word) ? Number(word) : NUMBER_WORDS.get(word)
		return number === undefined ? [] : [{ number, unit: UNITS.get(words[i + 1] ?? '') }]
	})
	if (numbers.length !== 1 || DENIES.test(text) || /\b(than|least|most|over|under)\b/.test(text)) return 0
	const { number, unit: asked } = numbers[0]!
	const given = UNITS.get(unit)
	if (asked && given && asked[0] !== given[0]) return 0
	const same = asked && given ? number * asked[1] === value * given[1] : number === value
	return same ? 1 : -1
}

function switchSays(text: string, isOn: boolean): -1 | 0 | 1 {
	const [on, off] = [SAYS_ON.test(text), SAYS_OFF.test(text)]
	if (on === off) return 0
	return (on !== DENIES.test(text)) === isOn ? 1 : -1
}
