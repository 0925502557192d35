import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
	addEvent,
	emptyTimeline,
	rowsOf,
	sharesOf,
	timelineOf,
	usageSoFar,
} from '../../../../host/console/pages/run/timeline/index.ts'
import type { RunEvent } from '../../../../host/owner/client/index.ts'

// A run's events as calls on a time axis. The lists in `events` are of real runs.

const recorded = (name: string) =>
	JSON.parse(readFileSync(new URL(`events/${name}.json`, import.meta.url), 'utf8')) as RunEvent[]
const began = Date.parse('2026-11-22T10:00:00.000Z')
/** Events one after the other, each so many milliseconds after the run's begin. */
const events = (...list: [ms: number, type: string, data: Record<string, unknown>][]): RunEvent[] =>
	list.map(([ms, type, data], i) => ({
		seq: i + 1,
		run: 'run_1',
		type,
		at: new Date(began + ms).toISOString(),
		data,
	}))
const outline = (list: RunEvent[]) =>
	rowsOf(timelineOf(list)).map(
		({ effect: { kind, name, state }, depth }) => `${'  '.repeat(depth)}${kind} ${name} ${state}`,
	)

describe('a run with retries, a function of its own, memory and an approval', () => {
	const timeline = timelineOf(recorded('approved'))

	test('is nested by cause', () => {
		expect(outline(recorded('approved'))).toEqual([
			'model m done',
			'  tool dig done',
			'    memory hole.md done',
			'    model inner done',
			'  waiting Call charge? done',
			'  tool charge done',
			'model m done',
		])
	})

	test('has its attempts, tokens, decision and lines', () => {
		const [model] = timeline.effects
		expect(model?.tries).toMatchObject([{ error: { code: 'provider_unavailable' } }, {}])
		expect(model?.usage).toEqual({
			input_tokens: 20,
			cached_input_tokens: 0,
			output_tokens: 10,
			web_searches: 0,
			usd: null,
		})
		expect(timeline.effects.find(({ kind }) => kind === 'waiting')?.decision).toMatchObject({
			decision: 'approve',
			note: 'go',
		})
		expect(timeline.lines).toMatchObject([{ level: 'info', message: 'digging' }])
		expect(timeline.restarts).toMatchObject([{ lost: false }])
		expect(timeline.end).toMatchObject({ status: 'succeeded' })
	})

	test('has each moment counted once', () => {
		const shares = sharesOf(timeline, Number.MAX_SAFE_INTEGER)
		const { from, to } = timeline
		expect(Object.values(shares).reduce((sum, one) => sum + one, 0)).toBe(Number(to) - Number(from))
		expect(shares.waiting).toBeGreaterThan(200)
		expect(shares.model).toBeGreaterThan(250)
	})
})

describe('a run whose host was killed in the middle of a call', () => {
	test('has one call with two attempts, the first of them lost, and the text of the second', () => {
		const all = recorded('restarted')
		const cut = all.findIndex(({ type, seq }) => type === 'run.started' && seq > 1)
		expect(timelineOf(all.slice(0, cut)).effects).toMatchObject([
			{ state: 'running', to: null, output: expect.stringMatching(/^One two three/) },
		])
		const { effects, restarts } = timelineOf(all)
		expect(effects).toMatchObject([{ state: 'done', tries: [{ lost: true }, {}] }])
		expect(effects[0]?.output).toMatch(/^(One two three four five six\. ){3}$/)
		expect(restarts).toMatchObject([{ attempt: 2, lost: true }])
	})

	test('is the same however its events are cut, and however often they come', () => {
		const all = recorded('restarted')
		const twice = emptyTimeline()
		for (const [i, event] of all.entries()) {
			addEvent(twice, event)
			for (const before of all.slice(Math.max(0, i - 3), i + 1)) addEvent(twice, before)
		}
		expect(twice).toEqual(timelineOf(all))
	})
})

test('calls that nobody ended are stopped with their run', () => {
	const { effects } = timelineOf(
		events(
			[0, 'run.started', { attempt: 1 }],
			[5, 'model.started', { call: 1, model: 'm' }],
			[6, 'tool.started', { call: 2, name: 'slow', connector: 'https://a.example.com' }],
			[90, 'run.cancelled', { error: { code: 'cancelled', message: 'it was asked for' } }],
		),
	)
	expect(effects).toMatchObject([
		{ state: 'stopped', to: began + 90 },
		{ state: 'stopped', to: began + 90 },
	])
})

test('calls at once share their time; what goes on counts until now', () => {
	const timeline = timelineOf(
		events(
			[0, 'run.started', { attempt: 1 }],
			[10, 'model.started', { call: 1, model: 'm' }],
			[20, 'tool.started', { call: 2, name: 'slow', connector: 'https://a.example.com' }],
			[40, 'model.completed', { call: 1, text: '' }],
		),
	)
	expect(sharesOf(timeline, began + 100)).toEqual({
		own: 10,
		model: 30,
		tool: 60,
		http: 0,
		waiting: 0,
	})
})

// Proves: http.events
test('requests stand below the function that makes them, the refused ones too', () => {
	const list = events(
		[0, 'run.started', { attempt: 1 }],
		[10, 'tool.started', { call: 1, name: 'order' }],
		[20, 'http.started', { call: 2, method: 'GET', url: 'https://a.example.com/1' }],
		[50, 'http.completed', { call: 2, status: 404, body: 'none' }],
		[60, 'http.completed', { call: 3, method: 'PUT', url: 'x', error: { code: 'http_method_refused' } }],
	)
	expect(outline(list)).toEqual([
		'tool order running',
		'  http GET https://a.example.com/1 done',
		'  http PUT x failed',
	])
	const timeline = timelineOf(list)
	expect(timeline.effects[1]).toMatchObject({ status: 404, output: 'none' })
	expect(usageSoFar(timeline)).toMatchObject({ tool_calls: 1, http_calls: 1 })
})

test('a failed call, an end without a begin, and data of another shape are shown as far as they go', () => {
	const timeline = timelineOf(
		events(
			[0, 'run.started', {}],
			[
				1,
				'tool.completed',
				{ call: 7, name: 'lost', ok: false, error: { code: 'tool_changed', message: 'other' } },
			],
			[2, 'model.completed', { call: 'x', usage: 'none', text: 5 }],
			[3, 'model.delta', { call: 99, text: 'of nobody' }],
			[4, 'approval.decided', { id: 'apr_x', decision: 'deny' }],
			[5, 'something.new', { call: 1 }],
			[6, 'log', { level: 3 }],
		),
	)
	expect(timeline.effects).toMatchObject([
		{ name: 'lost', state: 'failed', error: { code: 'tool_changed' } },
		{ kind: 'model', state: 'done', call: null },
	])
	expect(timeline.lines).toMatchObject([{ level: 'info', message: '' }])
})

test('a chain of ten thousand causes, and as many calls beside each other, are put in order', () => {
	const many = Array.from({ length: 10_000 }, (_, i): [number, string, Record<string, unknown>][] => [
		[i * 2, 'model.started', { call: i, model: 'm' }],
		[i * 2 + 1, 'model.completed', { call: i, text: 'x', stop: 'tool_calls' }],
	]).flat()
	expect(rowsOf(timelineOf(events(...many)))).toHaveLength(10_000)
	const timeline = emptyTimeline()
	timeline.effects = timelineOf(events(...many)).effects.map((effect, i) => ({
		...effect,
		parent: i === 0 ? null : `call ${i - 1}`,
	}))
	expect(rowsOf(timeline).at(-1)).toMatchObject({ depth: 9_999 })
})
