import type { Timeline } from './types.ts'

/** Of a run's time, in milliseconds. Each moment counts once: for the first of these that it belongs to. */
export interface Shares {
	/** Its model was asked, or asked again. */
	model: number
	/** A tool worked. */
	tool: number
	/** An address that the program asked was to answer. */
	http: number
	/** A person was to decide. */
	waiting: number
	/** The rest: the agent's program, and Berth. */
	own: number
}

type Part = Exclude<keyof Shares, 'own'>
const order: Part[] = ['model', 'tool', 'http', 'waiting']

/** Until `now` where the run goes on. */
export function sharesOf(timeline: Timeline, now: number): Shares {
	const shares: Shares = { model: 0, tool: 0, http: 0, waiting: 0, own: 0 }
	if (timeline.from === null) return shares
	const end = timeline.to ?? now
	const edges: { at: number; part: Part; step: 1 | -1 }[] = []
	const span = (part: Part, from: number, to: number | null) => {
		const until = Math.min(to ?? end, end)
		if (until > from) edges.push({ at: from, part, step: 1 }, { at: until, part, step: -1 })
	}
	for (const { kind, from, to } of timeline.effects) if (kind !== 'memory') span(kind, from, to)
	for (const { from, to } of timeline.parked) span('waiting', from, to)
	edges.sort((a, b) => a.at - b.at)
	const open: Record<Part, number> = { model: 0, tool: 0, http: 0, waiting: 0 }
	let before = timeline.from
	const count = (until: number) => {
		shares[order.find((part) => open[part] > 0) ?? 'own'] += Math.max(0, until - before)
		before = Math.max(before, until)
	}
	for (const { at, part, step } of edges) {
		count(at)
		open[part] += step
	}
	count(end)
	return shares
}
