/**
 * Claims against evidence. The learned model says in two steps whether the evidence speaks of this at all, and if so,
 * for it or against it; rules of language and arithmetic then say where that cannot be right.
 */

import { margin } from '../learned/ensemble.ts'
import { sigmoid } from '../learned/trees.ts'
import { tableSays } from '../rules/cells.ts'
import { isContrary } from '../rules/contrary.ts'
import { isEmbedded } from '../rules/embedded.ts'
import { denied, frameOf, isWordList } from '../rules/frames.ts'
import { plainlySays } from '../rules/plainly.ts'
import { amountOf } from '../rules/quantifiers.ts'
import { renamed } from '../rules/renamed.ts'
import { type Restated, restated } from '../rules/restated.ts'
import { type Direction, directionOf } from '../rules/reversed.ts'
import { covered, RULED, type Rule, ruleOn, type Shares } from '../rules/ruling.ts'
import { scheduleSays } from '../rules/schedule.ts'
import { type Table, tableIn } from '../rules/tables.ts'
import { read } from '../text/document.ts'
import { type Phrase, phraseOf } from '../text/phrase.ts'
import type { Calls, Verdict } from './calls.ts'
import { type ClaimView, viewClaim } from './claim.ts'
import type { Models, Tuned } from './models.ts'
import { type Passages, passages } from './passages.ts'

/** Verdict of a claim that shares no word with the evidence: it may say the same in other words. */
const NOTHING_SHARED: Shares = [0.15, 0.15, 0.7]
/** An even share that is kept back from every answer: no kind of text is known for sure. */
const KEPT_EVEN = 0.12
export const keptBack = (share: number): number => KEPT_EVEN / 3 + (1 - KEPT_EVEN) * share
const VERDICTS = ['verified', 'contradicted', 'unsupported'] as const

export function verify(models: Models, call: Calls['verify'][0]): Calls['verify'][1] {
	const evidence = passages(call.evidence)
	const tables = call.evidence.map(tableIn)
	const results = call.claims.map(
		(text) => same(text, call.evidence) ?? verdictOn(models, text, evidence, tables),
	)
	return { basis: evidence.list.length ? 'evidence' : 'none', results }
}

/** The claim is one of the texts, which may have no telling word: "5", "OK". */
function same(claim: string, evidence: readonly string[]): Verdict | null {
	const plain = claim.trim()
	const source = evidence.findIndex((text) => {
		const other = text.trim()
		return other.length === plain.length && other.toLowerCase() === plain.toLowerCase()
	})
	if (source < 0 || frameOf(claim) !== 'said') return null
	return verdictOf(RULED.met, { source, start: 0, end: evidence[source]!.length })
}

function verdictOn(
	models: Models,
	text: string,
	evidence: Passages,
	tables: readonly (Table | null)[],
): Verdict {
	const { shares, best } = sharesOf(models, text, evidence, tables)
	if (best < 0) return verdictOf(shares, null)
	const { source, sentence } = evidence.list[best]!
	return verdictOf(shares, { source, ...sentence.span })
}

export interface Beside {
	/** Features of the claim in the evidence's spelling of amounts. */
	view: ClaimView
	/** The nearest passage, empty where no word is shared. */
	sentence: string
	near: Restated
}

export function besideOf(text: string, evidence: Passages): Beside {
	const view = viewClaim(read(text), evidence)
	if (view.best < 0) return { view, sentence: '', near: restated(text, '') }
	const { document, sentence } = evidence.list[view.best]!
	const said = document.source.slice(sentence.span.start, sentence.span.end)
	const near = restated(text, said)
	return {
		view: near.claim === text ? view : { ...viewClaim(read(near.claim), evidence), best: view.best },
		sentence: said,
		near,
	}
}

/** What of the models a claim needs. */
export interface Ruling {
	ensembles: Pick<Models['ensembles'], 'unsupported' | 'contradicted'>
	tuned: Pick<Tuned, 'verify'>
}

export interface Settled {
	shares: Shares
	/** Place of the passage that it rests on, or −1. */
	best: number
	rule: Rule | null
}

export function sharesOf(
	models: Ruling,
	claim: string,
	evidence: Passages,
	tables: readonly (Table | null)[] = [],
): Settled {
	const short = shortSource(claim, evidence)
	if (short !== null && isEmbedded(claim, short)) return settled('framed', 0)
	const contrary = short === null ? -1 : contraryIn(claim, evidence)
	if (contrary >= 0) return settled('clash', contrary)
	const told = short === null ? 0 : scheduleOf(claim, evidence, short) || plainlySays(claim, short)
	if (told) return settled(told > 0 ? 'met' : 'clash', 0)
	const direction = short === null ? null : (directionOf(claim, short) ?? quantityOf(claim, evidence))
	if (direction) return settled(DIRECTED[direction], 0)
	const text = renamed(claim, evidence)
	const { view, sentence, near } = besideOf(text, evidence)
	const { best } = view
	if (best < 0) return strange(text, evidence)
	const table = tables[evidence.list[best]!.source]
	const cell = table ? tableSays(table, text) : 0
	if (cell) return settled(cell > 0 ? 'table' : 'untable', best)
	const inner = denied(sentence)
	if (inner !== null && denied(text) === null) {
		const [v, c, u] = sharesOf(models, text, passages([inner])).shares
		return { shares: [c, v, u], best, rule: null }
	}
	const shares = claimProbabilities(models, view.features)
	const frame = frameOf(sentence)
	const beside = {
		claim: phraseOf(text),
		said: evidence.phrase([best]),
		sentence,
		restated: near,
		all: evidence.list.length <= FEW_PASSAGES ? evidence.phrase(placesOf(evidence, best)) : null,
		has: evidence.has,
		around: () =>
			evidence.phrase(placesOf(evidence, best).filter((place) => Math.abs(place - best) <= AROUND)),
	}
	const rule = ruleOn(shares, beside, frameOf(text) === frame ? 'said' : frame)
	return rule ? settled(rule, best) : { shares, best, rule }
}

/** The text of short evidence of one source that is no mere list of the claim's words. */
function shortSource(claim: string, { list }: Passages): string | null {
	const sources = new Set(list.map(({ source }) => source))
	if (!list.length || sources.size > 1 || list.length > FEW_LINES) return null
	const { source } = list[0]!.document
	const words = read(claim).sentences.flatMap((sentence) => sentence.words)
	return isWordList(source, words) ? null : source
}

/** Place of a passage that says the contrary in the same words; −1 also where another says the claim itself. */
function contraryIn(claim: string, { list, phrase }: Passages): number {
	const mine = { phrase: phraseOf(claim), text: claim }
	const frame = frameOf(claim)
	const same = (said: Phrase) => said.stems.join(' ') === mine.phrase.stems.join(' ')
	let place = -1
	for (let i = 0; i < list.length; i++) {
		const said = { phrase: phrase([i]), text: list[i]!.sentence.text }
		const contrary = frameOf(said.text) === frame && isContrary(mine, said)
		if (!contrary && same(said.phrase)) return -1
		if (contrary && place < 0) place = i
	}
	return place
}

/** A question, a supposition or a mere list of words gives no hours. */
const scheduleOf = (claim: string, { list }: Passages, source: string): -1 | 0 | 1 =>
	list.some(({ sentence }) => frameOf(sentence.text) !== 'said') ? 0 : scheduleSays(claim, source)

const quantityOf = (claim: string, { list, phrase }: Passages): Direction | null =>
	frameOf(claim) === 'said' && list.every(({ sentence }) => frameOf(sentence.text) === 'said')
		? amountOf(
				phraseOf(claim),
				list.map((_, i) => phrase([i])),
			)
		: null

const FEW_LINES = 8

const DIRECTED: Record<Direction, Rule> = { same: 'met', turned: 'turned', open: 'open' }

const settled = (rule: Rule, best: number): Settled => ({ shares: RULED[rule], best, rule })

/** Passages of the same source. */
const placesOf = ({ list }: Passages, best: number): number[] =>
	list.flatMap(({ source }, i) => (source === list[best]!.source ? [i] : []))

const FEW_PASSAGES = 3
/** Passages before and behind the nearest in which a name is looked for. */
const AROUND = 20

/** No word is shared. A claim that only gives an amount may still be held against a short text. */
function strange(text: string, evidence: Passages): Settled {
	const [first] = evidence.list
	if (first && evidence.list.length <= FEW_PASSAGES) {
		const place = placesOf(evidence, 0)
		const near = restated(text, first.document.source)
		if (
			near.met + near.clashes === 1 &&
			!near.missing &&
			covered(phraseOf(text), evidence.phrase(place)) >= 1
		) {
			return settled(near.met ? 'met' : 'clash', 0)
		}
	}
	return { shares: NOTHING_SHARED, best: -1, rule: null }
}

export function claimProbabilities({ ensembles, tuned }: Ruling, features: ArrayLike<number>): Shares {
	const unsupported = sigmoid(margin(ensembles.unsupported, features))
	const contradicted = sigmoid(margin(ensembles.contradicted, features))
	return weighed(
		[(1 - unsupported) * (1 - contradicted), (1 - unsupported) * contradicted, unsupported],
		tuned.verify,
	)
}

export function weighed(probabilities: Shares, { multipliers, temperature }: Tuned['verify']): Shares {
	const power = (k: 0 | 1 | 2) => (Math.max(1e-6, probabilities[k]) * multipliers[k]!) ** (1 / temperature)
	const [v, c, u] = [power(0), power(1), power(2)]
	const sum = v + c + u
	return [v / sum, c / sum, u / sum]
}

function verdictOf(shares: Shares, passage: Verdict['evidence']): Verdict {
	const list = shares.map(keptBack)
	const [verified, contradicted, unsupported] = list as [number, number, number]
	const top = list.indexOf(Math.max(...list))
	const verdict = VERDICTS[top]!
	return {
		verdict,
		confidence: list[top]!,
		evidence: verdict === 'unsupported' ? null : passage,
		probabilities: { verified, contradicted, unsupported },
	}
}
