import type { RunEvent } from '../../../../owner/client/index.ts'
import { addUsage, callOf, citationsOf, type Data, saidOf, textOf } from './read.ts'
import type { Effect, Kind, Timeline } from './types.ts'

export function emptyTimeline(): Timeline {
	return {
		seq: 0,
		from: null,
		last: null,
		to: null,
		effects: [],
		byCall: new Map(),
		lines: [],
		attempts: 0,
		restarts: [],
		parked: [],
		end: null,
	}
}

/** Takes in the next event; one that is there already changes nothing. */
export function addEvent(timeline: Timeline, { seq, type, at, data }: RunEvent): void {
	if (seq <= timeline.seq) return
	timeline.seq = seq
	const now = Date.parse(at)
	timeline.from ??= now
	timeline.last = now
	readers[type]?.(timeline, data, now, seq)
}

export function timelineOf(events: RunEvent[]): Timeline {
	const timeline = emptyTimeline()
	for (const event of events) addEvent(timeline, event)
	return timeline
}

const readers: Record<string, (timeline: Timeline, data: Data, at: number, seq: number) => void> = {
	'run.started': started,
	'model.started': (timeline, data, at) => {
		begin(timeline, 'model', data, at, textOf(data.model))
	},
	'model.delta': (timeline, data) => {
		const effect = find(timeline, data)
		if (effect) effect.output = textOf(effect.output) + textOf(data.text)
	},
	'model.retrying': retrying,
	'model.completed': modelDone,
	'tool.started': (timeline, data, at) => {
		const effect = begin(timeline, 'tool', data, at, textOf(data.name))
		effect.connector = typeof data.connector === 'string' ? data.connector : null
		effect.input = data.input
		if (data.truncated === true) effect.truncated = true
	},
	'tool.completed': toolDone,
	'http.started': (timeline, data, at) => {
		requested(timeline, data, at)
	},
	'http.completed': httpDone,
	'memory.changed': (timeline, data, at) => {
		const effect = add(timeline, `memory ${timeline.seq}`, 'memory', textOf(data.path), at)
		effect.output = data.deleted === true ? 'Deleted' : undefined
		effect.input = data
		finish(effect, at, 'done')
	},
	log: (timeline, data, at, seq) => {
		timeline.lines.push({
			seq,
			at,
			level: textOf(data.level) || 'info',
			message: textOf(data.message),
			...('data' in data && { data: data.data }),
			...(typeof data.stack === 'string' && { stack: data.stack }),
			...(data.truncated === true && { truncated: true }),
		})
	},
	'budget.warning': (timeline, data, at, seq) => {
		timeline.lines.push({ seq, at, level: 'warn', message: 'A budget is nearly used up.', data })
	},
	'approval.requested': asked,
	'approval.decided': (timeline, data, at) => {
		const effect = timeline.effects.findLast(({ approval }) => approval === data.id)
		if (!effect) return
		const { decision, note, content } = data
		effect.decision = {
			decision: textOf(decision),
			note: typeof note === 'string' ? note : null,
			...(content !== undefined && { content }),
		}
		finish(effect, at, decision === 'deny' ? 'failed' : 'done')
	},
	'run.waiting': (timeline, data, at) => {
		if (data.held !== true) timeline.parked.push({ from: at, to: null })
	},
	'run.completed': (timeline, data, at) => ended(timeline, 'succeeded', data, at),
	'run.failed': (timeline, data, at) => ended(timeline, 'failed', data, at),
	'run.cancelled': (timeline, data, at) => ended(timeline, 'cancelled', data, at),
}

/** A later attempt: what was under way is asked for again, or is answered from the journal. */
function started(timeline: Timeline, data: Data, at: number): void {
	if (timeline.attempts++ === 0) return
	const attempt = typeof data.attempt === 'number' ? data.attempt : timeline.attempts
	const parked = timeline.parked.at(-1)
	const waited = parked?.to === null
	if (waited && parked) parked.to = at
	timeline.restarts.push({ at, attempt, lost: !waited })
	if (waited) return
	for (const effect of timeline.effects) {
		const last = effect.tries.at(-1)
		if (effect.state !== 'running' || effect.kind === 'waiting' || last?.to !== null) continue
		last.to = at
		last.lost = true
	}
}

/** The first try of a call, or another of one that is known. */
function begin(timeline: Timeline, kind: Kind, data: Data, at: number, name: string): Effect {
	const known = find(timeline, data)
	if (known) {
		const last = known.tries.at(-1)
		if (last) last.to ??= at
		known.tries.push({ from: at, to: null })
		known.state = 'running'
		known.to = null
		known.output = undefined
		return known
	}
	const call = callOf(data)
	const effect = add(timeline, call === null ? `event ${timeline.seq}` : `call ${call}`, kind, name, at)
	effect.call = call
	if (call !== null) timeline.byCall.set(call, effect)
	effect.parent = causeOf(timeline, effect, typeof data.call_id === 'string')
	return effect
}

function add(timeline: Timeline, id: string, kind: Kind, name: string, at: number): Effect {
	const effect: Effect = {
		id,
		call: null,
		kind,
		name,
		connector: null,
		from: at,
		to: null,
		state: 'running',
		tries: [{ from: at, to: null }],
		parent: null,
	}
	if (kind === 'memory' || kind === 'waiting') effect.parent = causeOf(timeline, effect, false)
	timeline.effects.push(effect)
	return effect
}

/** A model's answer asks for tools; a function of the agent's own brings about what happens while it alone runs. */
function causeOf({ effects }: Timeline, of: Effect, byModel: boolean): string | null {
	if (byModel) {
		const model = effects.findLast(({ stop }) => stop === 'tool_calls')
		if (model) return model.id
	}
	const own = recent(effects).filter(
		(one) => one !== of && one.kind === 'tool' && one.connector === null && one.state === 'running',
	)
	return own.length === 1 ? (own[0]?.id ?? null) : null
}

/** A call that goes on is among these: no run has more of them at once. */
const underWayMax = 200
const recent = (effects: Effect[]) => effects.slice(-underWayMax)

function find({ byCall }: Timeline, data: Data): Effect | undefined {
	const call = callOf(data)
	return call === null ? undefined : byCall.get(call)
}

function finish(effect: Effect, at: number, state: Effect['state']): void {
	effect.to = at
	effect.state = state
	const last = effect.tries.at(-1)
	if (last) last.to ??= at
}

function retrying(timeline: Timeline, data: Data, at: number): void {
	const effect = find(timeline, data)
	const last = effect?.tries.at(-1)
	if (!effect || !last) return
	last.to = at
	const error = saidOf(data.error)
	if (error) last.error = error
	effect.output = undefined
	addUsage(effect, data.usage)
}

function modelDone(timeline: Timeline, data: Data, at: number): void {
	const effect = find(timeline, data) ?? begin(timeline, 'model', data, at, textOf(data.model))
	const error = saidOf(data.error)
	addUsage(effect, data.usage)
	finish(effect, at, error ? 'failed' : 'done')
	if (error) effect.error = error
	else effect.output = textOf(data.text)
	effect.citations = citationsOf(data.citations)
	if (data.searches !== undefined) effect.searches = data.searches
	if (typeof data.stop === 'string') effect.stop = data.stop
	if (data.truncated === true) effect.truncated = true
}

function toolDone(timeline: Timeline, data: Data, at: number): void {
	const effect = find(timeline, data) ?? begin(timeline, 'tool', data, at, textOf(data.name))
	const error = saidOf(data.error)
	finish(effect, at, data.ok === false ? 'failed' : 'done')
	effect.output = data.output
	// Of a call that was never begun: its arguments cannot be read.
	if (data.input !== undefined) effect.input = data.input
	if (error) effect.error = error
	if (typeof data.stack === 'string') effect.stack = data.stack
	if (data.screen !== undefined) effect.screen = data.screen
	if (data.truncated === true) effect.truncated = true
}

function requested(timeline: Timeline, data: Data, at: number): Effect {
	const effect = begin(timeline, 'http', data, at, `${textOf(data.method)} ${textOf(data.url)}`)
	effect.input = data.body
	if (data.truncated === true) effect.truncated = true
	return effect
}

/** One that was refused before it was sent begins and ends here. */
function httpDone(timeline: Timeline, data: Data, at: number): void {
	const effect = find(timeline, data) ?? requested(timeline, data, at)
	const error = saidOf(data.error)
	finish(effect, at, error ? 'failed' : 'done')
	if (error) effect.error = error
	else effect.output = data.body
	if (typeof data.status === 'number') effect.status = data.status
	if (data.truncated === true) effect.truncated = true
}

function asked(timeline: Timeline, data: Data, at: number): void {
	const id = textOf(data.id)
	const effect = add(timeline, id, 'waiting', textOf(data.question), at)
	effect.approval = id
	effect.connector = typeof data.connector === 'string' ? data.connector : null
	effect.input = data.arguments
	// A question comes in the middle of a call; an approval comes before one that a model asked for.
	const call = find(timeline, data)
	if (call && call !== effect) effect.parent = call.id
	else if (typeof data.tool === 'string') effect.parent = causeOf(timeline, effect, true)
}

function ended(timeline: Timeline, status: string, data: Data, at: number): void {
	const error = saidOf(data.error)
	timeline.to = at
	timeline.end = {
		status,
		...(error && { error }),
		...(typeof data.stack === 'string' && { stack: data.stack }),
		inFlight: Array.isArray(data.in_flight) ? data.in_flight : [],
	}
	for (const span of timeline.parked) span.to ??= at
	for (const effect of timeline.effects) if (effect.state === 'running') finish(effect, at, 'stopped')
}
