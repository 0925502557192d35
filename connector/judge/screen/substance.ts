/** Whether a text tells an agent anything, by rule: there are no labels for it, and rules can say their reason. */
import type { Document } from '../text/document.ts'
import { rarity } from '../text/lexicon.ts'

const EMPTY = [
	'enable javascript',
	'javascript is disabled',
	'are you a robot',
	'verify you are human',
	'access denied',
	'403 forbidden',
	'404 not found',
	'page not found',
	'session has expired',
	'sign in to continue',
	'log in to continue',
	'subscribe to continue',
	'accept all cookies',
	'loading...',
	'internal server error',
	'service unavailable',
	'lorem ipsum',
]
const FEW_WORDS = 12
const SHORT_TEXT_WORDS = 120

export function substanceOf(document: Document): { probability: number; reason: string } {
	const text = document.folded.text
	const counts = new Map<string, number>()
	let words = 0
	let telling = 0
	for (const sentence of document.sentences) {
		for (const word of sentence.words) {
			words++
			counts.set(word, (counts.get(word) ?? 0) + 1)
			if (rarity(word) > 3) telling++
		}
	}
	const head = text.slice(0, 20_000)
	if (!words) return { probability: 0.02, reason: 'The text has no words.' }
	if (words < SHORT_TEXT_WORDS && EMPTY.some((phrase) => head.includes(phrase))) {
		return { probability: 0.1, reason: 'The text is a notice of a page that did not show its content.' }
	}
	if (words < FEW_WORDS) return { probability: 0.35, reason: 'The text has very few words.' }
	if (counts.size / words < 0.12 && words > 60 && words < 3_000) {
		return { probability: 0.2, reason: 'The text repeats the same words.' }
	}
	if (telling / words < 0.2)
		return { probability: 0.4, reason: 'Hardly any word of the text carries a topic.' }
	return { probability: words < 40 ? 0.75 : 0.92, reason: 'The text has sentences with content.' }
}
