import { shuffled } from './random.ts'

export const victims = ['sandbox', 'runtime', 'host', 'postgres'] as const
export type Victim = (typeof victims)[number]

/** What else happens to a machine: parts or all of it stand still, clocks jump, the database is away, streams break off. */
export const troubles = [
	'frozen sandbox',
	'frozen runtime',
	'frozen host',
	'frozen machine',
	'clock',
	'outage',
	'cut',
] as const
export type Trouble = (typeof troubles)[number]

export interface Step {
	what: Victim | Trouble
	host: number
	afterMs: number
	/** Of what lasts or jumps: where in its range. */
	size: number
}

const leastMs = 900
const spreadMs = 2_600

/** What, to which host, after how long: all from one source. In four kills each victim comes once, and four troubles between. */
export function planOf(random: () => number, kills: number, hosts: number): Step[] {
	const plan: Step[] = []
	let deck: Trouble[] = []
	const deal = () => {
		if (deck.length === 0) deck = shuffled(troubles, random)
		return deck.pop() as Trouble
	}
	for (let killed = 0; killed < kills; killed += victims.length) {
		const killing = shuffled(victims, random).slice(0, kills - killed)
		for (const what of shuffled([...killing, ...killing.map(deal)], random)) {
			const host = Math.floor(random() * hosts)
			plan.push({ what, host, afterMs: leastMs + random() * spreadMs, size: random() })
		}
	}
	return plan
}
