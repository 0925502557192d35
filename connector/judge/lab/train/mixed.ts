/**
 * The project's own examples: attacks and harmless sentences alone, put into texts of the collected sets, and put into
 * the answers of tools. What a user may ask is an attack where data asks it, so requests of users are mixed in as well,
 * beside plain statements in the same places: that something was put in must not tell. Orders in carriers come with twins.
 */

import { sentences } from '../../text/sentences.ts'
import { random } from '../learn/random.ts'
import { twins } from './carriers.ts'
import { record, request, statement } from './requests.ts'
import { ATTACKS, HARMLESS, LEADS, patterned } from './seeds.ts'

export interface Text {
	text: string
	y: 0 | 1
	/** Whether anything in it asks its reader for something that an agent does. */
	asks: 0 | 1
	fold: string
	/** Fold of the text that an example was mixed into. */
	base?: string
	/** What a user said to an agent. */
	prompt?: boolean
	/** Only its place makes it an attack: its words teach what a request is, not what an attack is. */
	requestOnly?: boolean
}

export const OWN = 'own'
const SEED = 7
/** Our own examples are never more than the collected ones. */
const MIXED_TEXTS = 1_500
const MIXED_REQUESTS = 1_500
const PATTERNED = 400
const TWINS = 2_000
/** Origins whose texts are said to an agent: nothing is put into them. */
const SAID = ['neuralchemy', 'jailbreak', 'deepset-prompt-injections']
const SHORTEST_HOST_UNITS = 300
const LONGEST_PROMPT_UNITS = 300

/** Two halves, so that the detectors that judge one have not seen it. */
const half = (i: number) => `${OWN}-${i % 2}`

export function written(collected: readonly Text[]): Text[] {
	const next = random(SEED)
	const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!
	const hosts = collected.filter(
		({ text, y, fold }) => !y && text.length > SHORTEST_HOST_UNITS && !SAID.includes(fold),
	)
	const alone = (text: string, y: 0 | 1, i: number): Text => ({ text, y, asks: 1, fold: half(i) })
	const out: Text[] = [
		...ATTACKS.slice(0, collected.length).map((text, i) => alone(text, 1, i)),
		...HARMLESS.slice(0, collected.length).map((text, i) => alone(text, 0, i)),
		...patterned(next, Math.min(PATTERNED, collected.length)).map(([text, y], i) => alone(text, y, i >> 1)),
	]
	if (!hosts.length) return out
	for (let i = 0; i < Math.min(MIXED_TEXTS, collected.length); i++) {
		const y = i % 3 ? 1 : 0
		const list = y ? ATTACKS : HARMLESS
		const place = Math.floor(next() * list.length)
		const lead = next() < 0.25 ? `${y ? pick(LEADS) : 'Note:'} ` : ''
		const host = pick(hosts)
		out.push({
			text: inside(host.text, lead + list[place]!, next),
			y,
			asks: y,
			fold: half(place),
			base: host.fold,
		})
	}
	return [...out, ...requests(collected, hosts, next), ...planted(collected, hosts, next)]
}

function requests(collected: readonly Text[], hosts: readonly Text[], next: () => number): Text[] {
	const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!
	const prompts = collected.filter(
		({ text, y, prompt }) => prompt && !y && text.length < LONGEST_PROMPT_UNITS,
	)
	const said = hosts
		.filter(({ fold }) => fold === 'tasktracker' || fold.startsWith('pages'))
		.flatMap(({ text }) =>
			sentences(text)
				.slice(0, 8)
				.map(({ start, end }) => text.slice(start, end)),
		)
		.filter(({ length }) => length > 30 && length < 250)
	return Array.from({ length: Math.min(MIXED_REQUESTS, collected.length) }, (_, i): Text => {
		const y = i % 2 ? 1 : 0
		const borrowed = y ? prompts.map(({ text }) => text) : said
		const borrow = borrowed.length > 0 && next() < (y ? 0.4 : 0.6)
		const put = borrow ? pick(borrowed) : y ? request(next) : statement(next)
		const common = { y, asks: y, fold: half(i >> 1), requestOnly: true } as const
		if (next() < 0.4) return { ...common, text: record(next, put) }
		const host = pick(hosts)
		return { ...common, text: inside(host.text, put, next), base: host.fold }
	})
}

/** Orders in carriers, each with its harmless twin, some beside passages of other texts. */
function planted(collected: readonly Text[], hosts: readonly Text[], next: () => number): Text[] {
	const around = () => {
		const { text } = hosts[Math.floor(next() * hosts.length)]!
		const places = sentences(text)
		const { start } = places[Math.floor(next() * places.length)]!
		return text.slice(start, start + (next() < 0.3 ? LONG_PASSAGE_UNITS : PASSAGE_UNITS))
	}
	return twins(next, Math.min(TWINS, collected.length), around).flatMap(({ order, errand, half }): Text[] => [
		{ text: order, y: 1, asks: 1, fold: `${OWN}-${half}` },
		{ text: errand, y: 0, asks: 0, fold: `${OWN}-${half}` },
	])
}

const PASSAGE_UNITS = 500
const LONG_PASSAGE_UNITS = 2_500

/** Puts a sentence at the start, at the end or between two sentences. */
function inside(host: string, said: string, next: () => number): string {
	const places = sentences(host)
	const between = places[Math.floor(next() * places.length)]?.end ?? host.length
	const at = next() < 0.2 ? 0 : next() < 0.3 ? host.length : between
	const gap = () => (next() < 0.5 ? ' ' : '\n')
	return host.slice(0, at) + gap() + said + gap() + host.slice(at)
}
