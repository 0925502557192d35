/** "Not under the mat any more", "from Basic to Pro", "it used to be on Monday": of the options named, the one that still holds. */
import { NEGATION, phraseOf } from '../text/phrase.ts'
import { statesIn } from '../text/states.ts'
import type { Asked } from './asked.ts'

const BEFORE =
	/(?:\b(?:not|no longer|never|used to(?: be)?|formerly|previously|planned(?: for)?|instead of|rather than|except|nicht mehr|nicht|statt|anstatt|fruher|au lieu d[eu]|plutot que|ya no|en lugar de|en vez de|anterior|non|invece d[i ]|niet|не|вместо)|n't)(?: \p{L}{1,8}){0,3}$/u
const BEHIND =
	/^(?: \p{L}+)? (?:any ?more|no longer|used to|is not|isn't|was not|wasn't|is no longer|(?:is|was|were|are) (?:sold out|closed|full|broken|cancelled|fully booked|being)|ist (?:nicht|leider)|n'est)\b/u

const INTO = /^(?:,? \p{L}+)? (?:to|nach|auf|zu|a|à|al|naar|в|на) /u

/** Asked for what was before, was given up or is out. */
const FORMER =
	/\b(?:before|former|formerly|previous|previously|earlier|old|originally|(?:cancel|leave|left|quit|replace|remove|avoid|dislike|hate|stop|drop|exclude|reject|refuse|lose|lost|miss|close|full|wrong|give up|gave up|get rid|instead)(?:s|d|ed|ing)?|besides|else|except|vorher|fruher\w*|zuvor|gekundigt|verlassen|ersetzt|avant|ancien\w*|quitte\w*|antes|anterior\w*|dej[oa]|prima|precedente|eerder|vorige|раньше|прежн\p{L}*|once)(?!\p{L})/u

export function supersededOf({ question, options, clauses, named }: Asked): number {
	const asked = phraseOf(question)
	if (FORMER.test(question) || statesIn(asked).length || asked.marks.some((mark) => mark & NEGATION))
		return -1
	if (named.some((places) => !places.length)) return -1
	const open = options.flatMap((option, i) =>
		named[i]!.every((place) => isOver(clauses[place]!, option)) ? [] : [i],
	)
	return open.length === 1 ? open[0]! : -1
}

function isOver(clause: string, option: string): boolean {
	const at = clause.indexOf(option)
	if (
		/\b(?:from|von|de|da|van|из|с)$/u.test(clause.slice(0, at).trimEnd()) &&
		INTO.test(clause.slice(at + option.length))
	)
		return true
	return BEFORE.test(clause.slice(0, at).trimEnd()) || BEHIND.test(clause.slice(at + option.length))
}
