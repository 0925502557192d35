/** "The message is urgent", "O remetente está zangado": as far as the text's words say so, in any language whose words are known. */
import { read } from '../text/document.ts'
import { wordId } from '../text/lexicon.ts'
import { NEGATION, phraseOf } from '../text/phrase.ts'
import { levelOf } from './labels.ts'
import { placeOn } from './scale.ts'

const OF_A_MANNER =
	/^(?:the |this |der |die |das |le |la |el |il )?(?:text|review|message|comment|feedback|mail|email|e-mail|post|letter|request|reply|answer|tone|ticket|matter|issue|writer|sender|author|customer|user|person|speaker|nachricht|anfrage|mensaje|messaggio) (?:is|sounds|seems|is written in|ist|est|es|e) (?:(?:very|quite|rather|extremely|an?|sehr|tres|muy|molto) )*(\p{L}+)(?: (?:text|message|tone|request|language|matter))?$/u
const STOP = /[\s.!。]+$/u

const idsOf = (words: string): Set<number> =>
	new Set(
		words
			.split(' ')
			.map((word) => wordId(word))
			.filter((id) => id >= 0),
	)
const SUBJECTS = idsOf(
	'text review message comment mail email letter request reply answer tone writer sender author customer user person speaker client guest passenger patient',
)
/** Who is happy or not is told by praise and blame, see noul.ts. */
const MANNERS: [name: string, side: 1 | -1, ids: Set<number>][] = [
	['angry', 1, idsOf('angry furious annoyed upset mad')],
	['polite', 1, idsOf('polite kind friendly courteous')],
	['polite', -1, idsOf('rude impolite')],
	['urgent', 1, idsOf('urgent pressing')],
]
const MOST_WORDS = 6
/** What is said of a manner by its words alone. */
const TOLD = 0.38

/** Null where the proposition is of another kind, or the text says nothing of it. */
export function mannerOf(text: string, context: string): number | null {
	const called = OF_A_MANNER.exec(read(text).folded.text.trim().replace(STOP, ''))?.[1]
	const level = called === undefined ? byMeaning(text) : levelOf(called)
	const place = level && placeOn(level.name, context)
	return place ? 0.5 + TOLD * level.side * (2 * place.place - 1) : null
}

/** Subject, verb and manner by what they mean in English. */
function byMeaning(text: string): { name: string; side: number } | null {
	const { words, ids, marks } = phraseOf(text)
	const last = words.length - 1
	if (words.length > MOST_WORDS || words.length < 2) return null
	if (!ids.slice(0, last).some((id) => SUBJECTS.has(id))) return null
	const found = MANNERS.find(([, , wanted]) => wanted.has(ids[last]!))
	if (!found) return null
	return { name: found[0], side: marks.some((mark) => mark & NEGATION) ? -found[1] : found[1] }
}
