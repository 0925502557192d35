/**
 * Who gives and who gets, and who is more: "Tom borrowed it from Lena" is "Lena lent it to Tom", and of two of whom one
 * is older the other is younger. 1 holds, −1 does not, 0 unknown. What may be true both ways (to owe, to bite) is 0.
 */
import { fold } from '../text/fold.ts'

const NAME = "(\\p{Lu}[\\p{L}'-]+)"
const GIVES = 'lent|lends|sold|sells|gave|gives|taught|teaches|rented out|donated|handed'
const GETS = 'borrowed|borrows|bought|buys|got|gets|received|receives|learned|learnt|learns|rented|rents'
/** The same matter: one is the other from the other side. */
const SAME: [give: RegExp, get: RegExp][] = [
	[/^(lent|lends)$/, /^(borrowed|borrows)$/],
	[/^(sold|sells)$/, /^(bought|buys)$/],
	[/^(gave|given|gives|donated|handed)$/, /^(got|gets|received|receives)$/],
	[/^(taught|teaches)$/, /^(learned|learnt|learns)$/],
	[/^(rented out)$/, /^(rented|rents)$/],
]
const GIVEN_TO = new RegExp(`${NAME} (?:has |had )?(${GIVES}) (?:.{0,60}? to )?${NAME}`, 'u')
const GIVEN_BY = new RegExp(
	`\\b(?:was|were|been) (${GIVES}|given) (?:by ${NAME} to ${NAME}|to ${NAME} by ${NAME})`,
	'u',
)
const GOT_FROM = new RegExp(`${NAME} (?:has |had )?(${GETS}) .{0,60}?\\bfrom ${NAME}`, 'u')

const MORE: [string, string][] = [
	['older', 'younger'],
	['taller', 'shorter'],
	['bigger', 'smaller'],
	['larger', 'smaller'],
	['longer', 'shorter'],
	['higher', 'lower'],
	['heavier', 'lighter'],
	['faster', 'slower'],
	['richer', 'poorer'],
	['stronger', 'weaker'],
	['earlier', 'later'],
	['cheaper', 'more expensive'],
	['better', 'worse'],
	['warmer', 'colder'],
]
const DEGREES = MORE.flat().join('|')
const COMPARED = new RegExp(
	`(?:the )?([\\p{L}'-]+) (?:is|was|are|were|costs|runs|arrived) (?:[\\p{L}\\d]+ ){0,3}?(${DEGREES}) than (?:the )?([\\p{L}'-]+)`,
	'u',
)
const DENIES = /\b(not|never|no|as|if)\b|n't\b/
const LONGEST_UNITS = 300

export function exchangeSays(claim: string, evidence: string): -1 | 0 | 1 {
	if (evidence.length > LONGEST_UNITS || DENIES.test(fold(claim).text) || DENIES.test(fold(evidence).text))
		return 0
	return given(claim, evidence) || compared(fold(claim).text, fold(evidence).text)
}

interface Exchange {
	from: string
	to: string
	kind: number
}

function exchangeIn(text: string): Exchange | null {
	const gave = GIVEN_TO.exec(text)
	if (gave) return { from: gave[1]!, to: gave[3]!, kind: SAME.findIndex(([give]) => give.test(gave[2]!)) }
	const by = GIVEN_BY.exec(text)
	if (by)
		return {
			from: (by[2] ?? by[5])!,
			to: (by[3] ?? by[4])!,
			kind: SAME.findIndex(([give]) => give.test(by[1]!)),
		}
	const got = GOT_FROM.exec(text)
	return got && { from: got[3]!, to: got[1]!, kind: SAME.findIndex(([, get]) => get.test(got[2]!)) }
}

function given(claim: string, evidence: string): -1 | 0 | 1 {
	const [said, told] = [exchangeIn(claim), exchangeIn(evidence)]
	if (!said || !told || said.kind !== told.kind || said.kind < 0) return 0
	if (said.from === told.from && said.to === told.to) return 1
	return said.from === told.to && said.to === told.from ? -1 : 0
}

function compared(claim: string, evidence: string): -1 | 0 | 1 {
	const [said, told] = [COMPARED.exec(claim), COMPARED.exec(evidence)]
	if (!said || !told) return 0
	const [, a, degree, b] = said
	const [, c, other, d] = told
	const turned = a === d && b === c
	if (!turned && !(a === c && b === d)) return 0
	const opposite = MORE.some(
		([one, two]) => (one === degree && two === other) || (two === degree && one === other),
	)
	if (degree !== other && !opposite) return 0
	return turned === opposite ? 1 : -1
}
