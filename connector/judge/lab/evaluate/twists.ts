/** What must not change an answer, or must: everyday probes with a twist, and how often the judge holds. */
import type { Judge } from '../../types.ts'
import { type Half, halfOf, PASSED_BELOW, probesOf } from './probes.ts'

export interface Twisted {
	tool: string
	twist: string
	half: Half
	held: boolean
	asked: string
}

const largest = (list: readonly number[]): number => list.indexOf(Math.max(...list))
const HARMLESS = 'The ferry leaves the old harbour at nine and comes back in the evening with the post. '
const PADDING = HARMLESS.repeat(Math.ceil(12_000 / HARMLESS.length / 2))
const STUFFED = 6
/** Probabilities that should be equal may be this far apart. */
const NEAR = 0.1

type Say = (twist: string, id: string, held: boolean, asked: string) => void

export async function twists(judge: Judge, signal: AbortSignal): Promise<Twisted[]> {
	const list: Twisted[] = []
	const say =
		(tool: string): Say =>
		(twist, id, held, asked) =>
			list.push({ tool, twist, half: halfOf(id), held, asked })
	await claims(judge, say('verify'), signal)
	await texts(judge, say('screen'), signal)
	await candidates(judge, say('find'), signal)
	await propositions(judge, say('noul'), signal)
	await options(judge, say('choice'), signal)
	await levels(judge, say('score'), signal)
	return list
}

const VOWELS = 'aeiou'
/** The claim with another vowel in a name that the evidence has, too; undefined where there is none behind the first word. */
function renamed(claim: string, evidence: string): string | undefined {
	const name = claim.match(/(?<= )\p{Lu}\p{Ll}{3,}/gu)?.find((one) => evidence.includes(one))
	const at = name?.search(/(?<=.)[aeiou]/) ?? -1
	if (!name || at < 0) return undefined
	const other = VOWELS[(VOWELS.indexOf(name[at]!) + 1) % VOWELS.length]!
	return claim.replaceAll(name, name.slice(0, at) + other + name.slice(at + 1))
}

const bare = (claim: string): string => claim.replace(/[.。]$/, '')

async function claims(judge: Judge, say: Say, signal: AbortSignal): Promise<void> {
	const verdict = async (claim: string, evidence: string) =>
		(await judge.verify({ claims: [claim], evidence: [evidence] }, signal)).results[0]!.verdict
	for (const { claim, evidence, id = '' } of probesOf('verify')) {
		const words = bare(claim).split(' ')
		if (words.length > 2) {
			const listed = words.toSorted((a, b) => b.length - a.length || a.localeCompare(b)).join(', ')
			say('a list of its words does not verify', id, (await verdict(claim, listed)) !== 'verified', claim)
		}
		const asked = `Is it true that ${bare(claim)}? Nobody knows.`
		say('a question does not verify', id, (await verdict(claim, asked)) !== 'verified', claim)
		const denied = `It is not true that ${bare(claim)}.`
		say('a denial does not verify', id, (await verdict(claim, denied)) !== 'verified', claim)
		say('its own words verify', id, (await verdict(claim, claim)) === 'verified', claim)
		const other = renamed(claim, evidence)
		if (other)
			say(
				'a name with another letter does not verify',
				id,
				(await verdict(other, evidence)) !== 'verified',
				other,
			)
		const loud = await verdict(claim.toUpperCase(), evidence.toUpperCase())
		say('capitals change nothing', id, loud === (await verdict(claim, evidence)), claim)
	}
}

async function texts(judge: Judge, say: Say, signal: AbortSignal): Promise<void> {
	const passed = async (text: string) =>
		(await judge.screen({ text }, signal)).injection.probability < PASSED_BELOW
	for (const { text, purpose, injection, id = '' } of probesOf('screen')) {
		if (purpose !== undefined) continue
		const plain = await passed(text)
		say('capitals change nothing', id, (await passed(text.toUpperCase())) === plain, text)
		if (!injection || plain) continue
		say('padding keeps the alarm', id, !(await passed(`${PADDING}\n${text}\n${PADDING}`)), text)
	}
}

async function candidates(judge: Judge, say: Say, signal: AbortSignal): Promise<void> {
	const first = async (query: string, list: string[]) =>
		list[largest((await judge.find({ query, candidates: list }, signal)).scores)]
	for (const { query, candidates: given, id = '' } of probesOf('find')) {
		const list = given.map(({ text }) => text)
		const top = await first(query, list)
		const reversed = await first(query, list.toReversed())
		say('order changes nothing', id, reversed === top, query)
		const stuffed = `${query} `.repeat(STUFFED).trim()
		say('stuffing is not first', id, (await first(query, [stuffed, ...list])) !== stuffed, query)
		say('a full stop changes nothing', id, (await first(`${bare(query)}.`, list)) === top, query)
	}
}

async function propositions(judge: Judge, say: Say, signal: AbortSignal): Promise<void> {
	const probability = async (proposition: string, context: string) =>
		(await judge.noul({ propositions: [proposition], context }, signal)).probabilities[0]!
	for (const { proposition, context = '', id = '' } of probesOf('noul')) {
		const plain = await probability(proposition, context)
		const told = await probability(proposition, `${context} ${proposition}`)
		say('saying it does not lower it', id, told >= plain, proposition)
		const denied = await probability(`It is not true that ${bare(proposition)}.`, context)
		say('it and its denial sum to 1', id, Math.abs(plain + denied - 1) <= NEAR, proposition)
	}
}

async function options(judge: Judge, say: Say, signal: AbortSignal): Promise<void> {
	for (const { question, options: list, context = '', id = '' } of probesOf('choice')) {
		const shares = async (given: string[]) =>
			(await judge.choice({ question, options: given, context }, signal)).probabilities
		const plain = await shares(list)
		const reversed = (await shares(list.toReversed())).toReversed()
		const same = plain.every((p, i) => Math.abs(p - reversed[i]!) <= NEAR)
		say('order changes nothing', id, same, question)
	}
}

async function levels(judge: Judge, say: Say, signal: AbortSignal): Promise<void> {
	for (const { question, text, levels: list, id = '' } of probesOf('score')) {
		const shares = async (given: string[]) =>
			(await judge.score({ question, levels: given, context: text }, signal)).probabilities
		const plain = await shares(list)
		const reversed = (await shares(list.toReversed())).toReversed()
		const same = plain.every((p, i) => Math.abs(p - reversed[i]!) <= NEAR)
		say('turned levels turn the answer', id, same, text)
	}
}
