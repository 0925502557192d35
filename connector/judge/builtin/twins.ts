/** Two short sentences beside each other: the first in the second's words, and whether they speak against each other. */
import { oppositeOf } from '../rules/opposites.ts'
import { renamed } from '../rules/renamed.ts'
import { restated } from '../rules/restated.ts'
import { rolesOf } from '../rules/roles.ts'
import { NEGATION, type Phrase, phraseOf } from '../text/phrase.ts'
import { passages } from './passages.ts'
import { labelledParts } from './rubric.ts'

const LONGEST_UNITS = 200

export interface Twins {
	/** The context with the first sentence renamed. */
	context: string
	/** One denies the other, gives another amount or turns the roles. */
	against: boolean
}

/** Null where the context is no pair of short sentences. */
export function twinsIn(context: string): Twins | null {
	const parts = labelledParts(context)
	if (parts?.length !== 2 || parts.some((part) => part.length > LONGEST_UNITS)) return null
	const [first, second] = parts.map(hours) as [string, string]
	const same = renamed(first, passages([second]))
	const [a, b] = [phraseOf(same), phraseOf(second)]
	const against =
		denies(a) !== denies(b) ||
		oppositeOf(a, b) < 0 ||
		oppositeOf(phraseOf(first), b) < 0 ||
		restated(same, second).clashes > 0 ||
		rolesOf(a, b) < 0
	return { context: `1) ${same}\n2) ${second}`, against }
}

const denies = ({ marks }: Phrase): boolean => marks.some((mark) => mark & NEGATION)

const SPELLED = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')
/** "At nine o'clock" is "at 9". */
const hours = (text: string): string =>
	text.replace(/\s*\bo['’]clock\b/giu, '').replace(/(?<=\b(?:at|from|until|till|by) )\p{L}+/giu, (word) => {
		const value = SPELLED.indexOf(word.toLowerCase())
		return value > 0 ? String(value) : word
	})
