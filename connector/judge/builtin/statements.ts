/** "Which of these follows from the text?": every option is a claim, and the text its evidence. */
import { softmax } from '../learned/trees.ts'
import { tableIn } from '../rules/tables.ts'
import { tokenize } from '../text/tokens.ts'
import type { Models } from './models.ts'
import { passages } from './passages.ts'
import { sharesOf } from './verify.ts'

const ASKED =
	/\b(?:statements?|sentences?|claims?|of (?:these|them|the following)|follows?|is (?:true|right|correct)|aussage|aussagen|satz|affirmations?|phrase|afirmaci[oó]n|afirmaciones|frase|affermazion[ei]|stelling|bewering|утверждени\p{L}*)(?!\p{L})/iu
/** These ask for something else of a sentence. */
const OTHERWISE = /\b(?:answers?|closest|similar|nearest|beantwortet|n[aä]chsten|r[eé]pond)(?!\p{L})/iu
const FEWEST_WORDS = 3
/** Chosen on the rows of "which" in both instalments: 72 instead of 60 of 100 are right. */
const WORTH_VERDICT = 1.5
const WORTH_WORDS = 0.7
const OF_UNSUPPORTED = 0.5

export function areStatements(question: string, options: readonly string[]): boolean {
	if (!ASKED.test(question) || OTHERWISE.test(question)) return false
	return options.every((option) => tokenize(option.toLowerCase()).words.length >= FEWEST_WORDS)
}

/** "Which statement is false?" */
export const asksForFalse = (question: string): boolean => FALSE.test(question)
const FALSE =
	/\b(?:false|untrue|incorrect|wrong|not (?:true|right|correct|supported)|(?:does|do|is|are)(?: not|n't) (?:true|right|correct|follow|supported|stated)|contradict\p{L}*|falsch\p{L}*|unwahr|stimmt nicht|nicht (?:wahr|richtig|korrekt)|widerspr\p{L}*|fausse|faux|inexacte?|contredi\p{L}*|fals[ao]|incorrect[ao]|contradi\p{L}*|errat[ao]|onjuist|onwaar|неверн\p{L}*|ложн\p{L}*)(?!\p{L})/iu

/** Shares of the options by how surely the text says the contrary. The words that they share with it say nothing of that. */
export function byContrary(models: Models, options: readonly string[], context: string): number[] {
	const evidence = passages([context])
	const tables = [tableIn(context)]
	return softmax(
		options.map((option) => {
			const [verified, contradicted, unsupported] = sharesOf(models, option, evidence, tables).shares
			return WORTH_VERDICT * Math.log(contradicted / (verified + OF_UNSUPPORTED * unsupported))
		}),
	)
}

/** `shares` are those that the words alone give. */
export function byVerdict(
	models: Models,
	options: readonly string[],
	context: string,
	shares: readonly number[],
): number[] {
	const evidence = passages([context])
	const tables = [tableIn(context)]
	return softmax(
		options.map((option, i) => {
			const [verified, contradicted, unsupported] = sharesOf(models, option, evidence, tables).shares
			const verdict = Math.log(verified / (contradicted + OF_UNSUPPORTED * unsupported))
			return WORTH_VERDICT * verdict + WORTH_WORDS * Math.log(shares[i]!)
		}),
	)
}
