/** "Does the evidence support the claim?": of three options one says yes, one says the contrary, one leaves it open. */
import { tableIn } from '../rules/tables.ts'
import type { Models } from './models.ts'
import { passages } from './passages.ts'
import { tail } from './rubric.ts'
import { sharesOf } from './verify.ts'

/** How the options say it, read in this order: "does not support" leaves open, "unsupported" too. */
const KINDS = [
	/\bnot (?:settle|enough|say|mention|clear|determin|support|decid|prove|given)|\bno information|\bcannot|\bcan['’]t|\b(?:open\b|inconclusive|unclear|undecided|undetermined|unverif|unproven|neither|neutral|unsupported|insufficient|unknown)/i,
	/\b(?:contradict|refut|disprov|false|against|conflict|incorrect)/i,
	/\b(?:support|entail|verif|confirm|true|prove|correct)/i,
]
/** Places of `KINDS` among verified, contradicted and unsupported. */
const PLACES = [2, 1, 0]

export function verdictOptions(options: readonly string[]): number[] | null {
	if (options.length !== 3) return null
	const kinds = options.map((option) => PLACES[KINDS.findIndex((kind) => kind.test(option))] ?? -1)
	return kinds.every((kind, i) => kind >= 0 && kinds.indexOf(kind) === i) ? kinds : null
}

const OF_CLAIM =
	/^(?:claim|statement|assertion|hypothesis|proposition|sentence|behauptung|aussage|hypothese|affirmation|[ée]nonc[ée]|afirmaci[óo]n|enunciado|afirma[çc][ãa]o|affermazione|bewering|утверждение|twierdzenie|iddia|声明|主張)\s*[:：]\s*/iu
const OF_EVIDENCE =
	/^(?:evidence|source|text|passage|premise|context|document|excerpt|beleg|quelle|preuve|texte|evidencia|texto|prova|testo|bewijs|tekst|текст|metin|文本|本文)\s*[:：]\s*/iu
const THAT =
	/^(?:do|does|did) the (?:text|evidence|passage|source|document|context) (?:support|confirm|say|state|prove|show|back|entail)s? (?:the (?:claim|statement) )?that (.+)$/isu

/** A claim and what it is held against: in the question, or both with labels in the context. */
export function claimIn(question: string, context: string): { claim: string; evidence: string } {
	const parts: { claim?: string; evidence?: string } = {}
	let at: 'claim' | 'evidence' | undefined
	for (const line of context.split('\n')) {
		const ofClaim = OF_CLAIM.exec(line)
		const label = ofClaim ?? OF_EVIDENCE.exec(line)
		const kind = ofClaim ? 'claim' : 'evidence'
		if (label && parts[kind] === undefined) {
			at = kind
			parts[kind] = line.slice(label[0].length)
		} else if (at) parts[at] += `\n${line}`
		else break
	}
	const { claim, evidence } = parts
	if (claim?.trim() && evidence?.trim()) return { claim: claim.trim(), evidence }
	return { claim: asked(question) ?? (tail(question) || question), evidence: context }
}

/** Without the question marks at its end, which a pattern would look for at each of many. */
function asked(question: string): string | undefined {
	let said = THAT.exec(question)?.[1]
	while (said?.endsWith('?')) said = said.slice(0, -1)
	return said
}

/** Verified, contradicted, unsupported. */
export function verdictOn(models: Models, claim: string, evidence: string): readonly number[] {
	return sharesOf(models, claim, passages([evidence]), [tableIn(evidence)]).shares
}
