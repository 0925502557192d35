/**
 * A claim that the passage only holds within something else: "A paper claims that …", "Nobody can say that …". Whoever
 * says or reports it is believed; whoever claims, hopes, doubts or does not know it is not.
 */
import { fold } from '../text/fold.ts'

const LONGEST_UNITS = 400
const OPEN =
	/(?:^|[^\p{L}])(?:claim(?:s|ed)?|alleg(?:e|es|ed)|assert(?:s|ed)?|suspect(?:s|ed)?|assum(?:e|es|ed)|presum(?:e|es|ed)|guess(?:es|ed)?|think(?:s)?|thought|believ(?:e|es|ed)|fear(?:s|ed)?|hop(?:e|es|ed)|doubt(?:s|ed)?|den(?:y|ies|ied)|pretend(?:s|ed)?|dream(?:s|t|ed)?|imagin(?:e|es|ed)|speculat(?:e|es|ed)|(?:nobody|no one|none|not|never|cannot|n't) (?:can |could |will |yet |really )?(?:say|sure|know|knows|certain|clear|prove[nd]?|confirm(?:ed)?|show|shows|tell|likely)|(?:far from|not|un)(?: )?(?:certain|clear|sure|likely)|disputed|no (?:proof|evidence|sign|doubt|guarantee)|(?:chance|possibility|risk|danger|idea|theory|rumou?r))(?: that| whether| if)?$/u
const CERTAIN = /\b(?:no doubt|nobody doubts|undisputed)(?: that)?$/u

/** Whether a sentence of the text is the claim behind such words, and none is the claim itself. */
export function isEmbedded(claim: string, evidence: string): boolean {
	if (Math.max(claim.length, evidence.length) > LONGEST_UNITS) return false
	const plain = plainOf(claim)
	if (plain.split(' ').length < FEWEST_WORDS) return false
	const sentences = evidence.split(/(?<=[.!?;])\s+/).map(plainOf)
	if (sentences.includes(plain)) return false
	return sentences.some((said) => {
		if (!said.endsWith(` ${plain}`)) return false
		const lead = said.slice(0, -plain.length).trim()
		return OPEN.test(lead) && !CERTAIN.test(lead)
	})
}

const FEWEST_WORDS = 3
const plainOf = (text: string): string =>
	fold(text)
		.text.replace(/[\s.!?;]+$/u, '')
		.trim()
