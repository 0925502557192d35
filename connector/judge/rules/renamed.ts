/**
 * A claim in the evidence's own words for the same everyday notions: "has resigned" where the evidence says "stepped
 * down". Only short evidence is read so; long texts name most notions somewhere.
 */
import type { Passages } from '../builtin/passages.ts'
import { type Document, read } from '../text/document.ts'
import { isTopic, longest, notionsIn } from '../text/notions.ts'
import { STOP_WORDS } from '../text/stopwords.ts'

const LONGEST_EVIDENCE_WORDS = 80
const LONGEST_CLAIM_WORDS = 40

export function renamed(claim: string, evidence: Passages): string {
	const words = evidence.list.reduce((sum, { sentence }) => sum + sentence.words.length, 0)
	if (words > LONGEST_EVIDENCE_WORDS) return claim
	const document = read(claim)
	const said = wordsOf(document)
	if (said.words.length > LONGEST_CLAIM_WORDS) return claim
	const wanted = longest(notionsIn(said.words)).filter(
		({ id, from, to }) =>
			!isTopic(id) &&
			!said.stems.slice(from, to).some((stem, i) => telling(said.words[from + i]!) && evidence.has(stem)),
	)
	if (!wanted.length) return claim
	const given = evidence.list.flatMap((passage) =>
		longest(notionsIn(passage.sentence.words)).map((notion) => ({ passage, notion })),
	)
	let out = claim
	for (const { id, from, to } of wanted.toReversed()) {
		const exact = said.words.slice(from, to).some((word) => isExact(word))
		const found = given.find(
			({ notion, passage }) =>
				notion.id === id &&
				!(exact && passage.sentence.words.slice(notion.from, notion.to).some((word) => isExact(word))),
		)
		if (!found) continue
		const { sentence, document: source } = found.passage
		const start = source.folded.at[sentence.starts[found.notion.from]!]!
		const end = source.folded.at[sentence.ends[found.notion.to - 1]! - 1]! + 1
		out =
			out.slice(0, document.folded.at[said.starts[from]!]!) +
			source.source.slice(start, end) +
			out.slice(document.folded.at[said.ends[to - 1]! - 1]! + 1)
	}
	return out
}

/** Beginnings of words that name one of several things of a notion: what is said of a dog is not said of a cat. */
const EXACT =
	'dog cat hund katze perro gato chien chat gatt cane hond kat собак кошк kopek kedi psy kot beef pork chicken ham bacon steak saturday sunday samstag sonntag sabado domingo samedi dimanche sabato domenica zaterdag zondag суббот воскресень beer wine bier wein cerveza vino biere vin headache nausea kopfschmerz ubelkeit cake pudding trainer sandal boot'.split(
		' ',
	)
const isExact = (word: string): boolean =>
	EXACT.some((start) => word.startsWith(start) && word.length <= start.length + 3)

const telling = (word: string): boolean => !STOP_WORDS.has(word)

function wordsOf({ sentences }: Document) {
	return {
		words: sentences.flatMap((sentence) => sentence.words),
		stems: sentences.flatMap((sentence) => sentence.stems),
		starts: sentences.flatMap((sentence) => sentence.starts),
		ends: sentences.flatMap((sentence) => sentence.ends),
	}
}
