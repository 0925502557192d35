/** "Not under the mat any more", "from Basic to Pro", "it used to be on Monday": of the options named, the one that still holds. */
import { NEGATION, phraseOf } from '../text/phrase.ts'
import { statesIn } from '../text/states.ts'
import { type Asked, wordAt } from './asked.ts'

const BEFORE =
	/(?:\b(?:not|no longer|never|used to(?: be)?|formerly|previously|planned(?: for)?|instead of|rather than|except|nicht mehr|nicht|statt|anstatt|fruher|au lieu d[eu]|plutot que|ya no|en lugar de|en vez de|anterior|non|invece d[i ]|niet|не|вместо)|n't)(?: \p{L}{1,8}){0,3}$/u
const BEHIND =
	/^(?: \p{L}+)? (?:any ?more|no longer|used to|is not|isn't|was not|wasn't|is no longer|(?:is|was|were|are) (?:sold out|closed|full|broken|cancelled|fully booked|being)|ist (?:nicht|leider)|n'est)\b/u

const INTO = /^(?:,? \p{L}+)? (?:to|nach|auf|zu|a|à|al|naar|в|на) /u

/** Asked for what was before, was given up or is out. */
const FORMER =
	/\b(?:before|former|formerly|previous|previously|earlier|old|originally|(?:cancel|leave|left|quit|replace|remove|avoid|dislike|hate|stop|drop|exclude|reject|refuse|lose|lost|miss|close|full|wrong|give up|gave up|get rid|instead)(?:s|d|ed|ing)?|besides|else|except|vorher|fruher\w*|zuvor|gekundigt|verlassen|ersetzt|avant|ancien\w*|quitte\w*|antes|anterior\w*|dej[oa]|prima|precedente|eerder|vorige|раньше|прежн\p{L}*|once)(?!\p{L})/u

const FEWEST_OPTIONS = 3

/** Asked why: "Why did she leave?" is not of what was left. */
const REASON =
	/^(?:why|warum|wieso|pourquoi|por que|perche|waarom|почему)(?!\p{L})|\b(?:reason|cause|grund|raison|motivo)\b/u

/** Options that the text names only to deny them: "not because of the pay". */
export const deniedIn = ({ clauses, named, options, question }: Asked): boolean[] =>
	(FORMER.test(question) && !REASON.test(question)) ||
	phraseOf(question).marks.some((mark) => mark & NEGATION)
		? options.map(() => false)
		: options.map(
				(option, i) => named[i]!.length > 0 && named[i]!.every((place) => isOver(clauses[place]!, option)),
			)

export function supersededOf({ question, options, clauses, named }: Asked): number {
	const asked = phraseOf(question)
	if (FORMER.test(question) || statesIn(asked).length || asked.marks.some((mark) => mark & NEGATION))
		return -1
	const present = presentOf(question, options, clauses, named)
	if (present >= 0) return present
	const unnamed = named.filter((places) => !places.length).length
	// "Not A, and not C either" leaves B; of one that is denied nothing follows for several that are not named.
	if (unnamed > 1 || (unnamed && options.length < FEWEST_OPTIONS)) return -1
	const open = options.flatMap((option, i) =>
		named[i]!.length && named[i]!.every((place) => isOver(clauses[place]!, option)) ? [] : [i],
	)
	return open.length === 1 ? open[0]! : -1
}

/** "It was in the garden; now it is in the kitchen": of what is, the option beside "now". */
function presentOf(
	question: string,
	options: readonly string[],
	clauses: readonly string[],
	named: Asked['named'],
): number {
	if (!PRESENT.test(question)) return -1
	const now = options.flatMap((_, i) => (named[i]!.some((place) => NOW.test(clauses[place]!)) ? [i] : []))
	const were = named.flat().some((place) => WAS.test(clauses[place]!) && !NOW.test(clauses[place]!))
	const [only, more] = now
	return were &&
		only !== undefined &&
		more === undefined &&
		!isOver(clauses[named[only]!.find((place) => NOW.test(clauses[place]!))!]!, options[only]!)
		? only
		: -1
}

const PRESENT =
	/\b(?:is|are|does|do|has|lives?|works?|now|currently|today|ist|sind|est|esta|jetzt|ahora|maintenant)\b/
const NOW =
	/\b(?:now|nowadays|currently|at the moment|jetzt|heute|derzeit|maintenant|actuellement|ahora|actualmente|adesso|ora|agora|nu|теперь|сеичас)\b/
const WAS =
	/\b(?:was|were|had|used to|until|before|first|war|waren|hatte|etait|avait|era|estaba|aveva|tinha)\b/

function isOver(clause: string, option: string): boolean {
	const at = wordAt(clause, option)
	if (
		/\b(?:from|von|de|da|van|из|с)$/u.test(clause.slice(0, at).trimEnd()) &&
		INTO.test(clause.slice(at + option.length))
	)
		return true
	return BEFORE.test(clause.slice(0, at).trimEnd()) || BEHIND.test(clause.slice(at + option.length))
}
