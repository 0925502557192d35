/** What somebody answers in a chat: "Ola: pizza tonight? Kim: sure!" is an agreement of Kim's. 1 holds, −1 does not, 0 unknown. */
import { fold } from '../text/fold.ts'

const TURN = /(?:^|[\s])(\p{Lu}[\p{L}'-]{1,20}): /gu
const AGREES =
	/^(?:agrees?|accepts?|approves?|confirms?|says yes|said yes|(?:will|wants to|would like to|is going to|can) (?:come|join|help|take part|go)|is coming|joins|takes part|likes the idea|stimmt zu|ist einverstanden|accepte|est d'accord|acepta|esta de acuerdo|accetta|e d'accordo)\b/
const REFUSES =
	/^(?:refuses?|declines?|rejects?|disagrees?|says no|said no|(?:will not|won't|cannot|can't|does not want to) (?:come|join|help|take part|go)|is not coming|isn't coming|does not agree|doesn't agree|lehnt ab|sagt ab|refuse|rechaza|rifiuta)\b/
const YES =
	/^(?:yes|yeah|yep|yup|sure|of course|ok|okay|great|good idea|gladly|absolutely|definitely|certainly|count me in|i'm in|perfect|fine|with pleasure|sounds good|deal|agreed|happy to|love to|why not|no problem|ja|klar|gern|gerne|naturlich|sicher|oui|bien sur|volontiers|d'accord|si|claro|vale|por supuesto|certo|volentieri|va bene|natuurlijk|graag|да|конечно|evet|tabii|tak|jasne)\b|\b(?:good idea|great idea|can't wait|i'd love to|i would love to|count me in|i agree)\b/u
const NO =
	/^(?:no|nope|nah|sorry|unfortunately|i can't|i cannot|can't|cannot|not (?:today|this|really|me|now)|never|no way|i'm afraid|leider|nein|non|desole|lo siento|purtroppo|nee|helaas|нет|hayir|nie)\b(?! problem| worries)|\b(?:count me out|i'd rather not|i won't|i have to work|i'm away|no time)\b/u
const LONGEST_UNITS = 500

export function replySays(claim: string, evidence: string): -1 | 0 | 1 {
	if (evidence.length > LONGEST_UNITS) return 0
	const turns = turnsOf(evidence)
	const [, name, rest] = /^(\p{Lu}[\p{L}'-]+) (.+)$/su.exec(claim.trim()) ?? []
	if (turns.length < 2 || !name) return 0
	const said = fold(rest!).text
	const [yes, no] = [AGREES.test(said), REFUSES.test(said)]
	const last = turns.findLastIndex((turn) => turn.name === name)
	// A question or a plan of somebody else stands before the answer.
	if (yes === no || last < 1 || turns[last - 1]!.name === name || !turns[last - 1]!.text.includes('?'))
		return 0
	const reply = fold(turns[last]!.text).text.replace(/^[^\p{L}]+/u, '')
	const [agrees, refuses] = [YES.test(reply), NO.test(reply)]
	if (agrees === refuses) return 0
	return agrees === yes ? 1 : -1
}

function turnsOf(text: string): { name: string; text: string }[] {
	const starts = [...text.matchAll(TURN)]
	return starts.map((one, i) => ({
		name: one[1]!,
		text: text.slice(one.index + one[0].length, starts[i + 1]?.index ?? text.length).trim(),
	}))
}
