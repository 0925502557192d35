import { expect, test } from 'vitest'
import { traceRun } from '../../../../host/traces/run.ts'
import type { Span, TracedRun } from '../../../../host/traces/types.ts'
import type { Entry } from '../../../../runtime/wire/journal.ts'
import { effectTraceparent, readTraceparent } from '../../../../runtime/wire/trace.ts'
import { noUsage } from '../../../../runtime/wire/usage.ts'

const run = {
	id: 'run_1',
	deployment: { id: 'dep_1', name: 'helper', version: 2, agent: { model: { provider: 'anthropic' } } },
	version: 2,
	inputs: '{"question":"TEXT"}',
	createdAt: 1000,
} as unknown as TracedRun
let seq = 0
const entry = (at: number, type: Entry['type'], data: Entry['data'], ok?: boolean): Entry => ({
	...{ seq: ++seq, at, type, data },
	...(ok !== undefined && { ok }),
})
const ended = {
	outcome: { status: 'succeeded', output: '"TEXT"' },
	usage: noUsage(),
	completedAt: 5000,
} as const

function traced(options: { content?: boolean; sampled?: boolean; run?: Partial<TracedRun> } = {}) {
	const spans: Span[] = []
	const { content = false, sampled = true } = options
	const trace = traceRun(
		{ ...run, ...options.run },
		{ send: (span) => spans.push(span), sampled: () => sampled, content },
	)
	return { trace, spans }
}

const model = [
	entry(1100, 'model.started', { call: 1, model: 'm' }),
	entry(1150, 'model.retrying', { call: 1 }),
	entry(1200, 'model.started', { call: 1, model: 'm', attempt: 2 }),
	entry(1500, 'model.completed', { call: 1, model: 'm-1', stop: 'end', text: 'TEXT' }, true),
]
const tool = [
	entry(1500, 'tool.started', {
		call: 2,
		name: 'find',
		connector: 'https://x.example/a?TEXT',
		input: 'TEXT',
	}),
	entry(1900, 'tool.completed', { call: 2, name: 'find', ok: false, output: 'TEXT' }, true),
]

test('a call is one span from its first attempt to its end, below the span of its run', () => {
	const { trace, spans } = traced()
	trace.take([...model, ...tool])
	trace.take([entry(2000, 'http.started', { call: 3, method: 'GET', url: 'https://y.example/TEXT' })])
	trace.take([entry(2100, 'http.completed', { call: 3, status: 503 }, true)])
	trace.end(ended)
	const root = spans.at(-1) as Span
	expect(spans.map(({ name, start, end, error }) => [name, start, end, error])).toEqual([
		['chat m', 1100, 1500, null],
		['execute_tool find', 1500, 1900, 'tool_error'],
		['GET', 2000, 2100, '503'],
		['invoke_agent helper', 1000, 5000, null],
	])
	expect(spans.slice(0, 3).map(({ parentId }) => parentId)).toEqual(Array(3).fill(root.spanId))
	// What the runtime sends along names the same span.
	expect(readTraceparent(effectTraceparent(trace.traceparent, run.id, 2))).toEqual({
		traceId: root.traceId,
		spanId: spans[1]?.spanId,
		sampled: true,
	})
})

test('calls without a number, whose arguments are no JSON, have a span each', () => {
	const { trace, spans } = traced()
	const data = { name: 'find', ok: false, error: { code: 'input_invalid', message: 'TEXT' } }
	const unread = entry(1600, 'tool.completed', data)
	trace.take([...model, { ...unread, seq: 7 }, { ...unread, seq: 8 }])
	trace.end(ended)
	const own = spans.slice(1, 3)
	expect(own.map(({ name, error }) => [name, error])).toEqual(
		Array(2).fill(['execute_tool find', 'input_invalid']),
	)
	expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(4)
})

// Proves: observe.traces-private
test('texts are in spans only where that is switched on', () => {
	for (const content of [false, true]) {
		const { trace, spans } = traced({ content })
		trace.take([...model, ...tool])
		trace.end(ended)
		const holding = spans.filter((span) => JSON.stringify(span).includes('TEXT')).map(({ name }) => name)
		expect(holding).toEqual(content ? ['chat m', 'execute_tool find', 'invoke_agent helper'] : [])
	}
})

// Proves: observe.traces-takeover
test('a host that takes a run over goes on with its trace, and repeats no span', () => {
	const first = traced()
	first.trace.take([...model, tool[0] as Entry])
	const second = traced()
	second.trace.recall([...model, tool[0] as Entry])
	second.trace.take([entry(3000, 'tool.started', { call: 2, name: 'find', attempt: 2 }), tool[1] as Entry])
	second.trace.end(ended)
	expect(first.spans.map(({ name }) => name)).toEqual(['chat m'])
	expect(second.spans.map(({ name, start }) => [name, start])).toEqual([
		['execute_tool find', 1500],
		['invoke_agent helper', 1000],
	])
	expect(first.spans[0]?.parentId).toBe(second.spans[1]?.spanId)
	expect(first.spans[0]?.traceId).toBe(second.spans[1]?.traceId)
})

test('what is under way at the end of a run ends with it', () => {
	const { trace, spans } = traced()
	trace.take([tool[0] as Entry])
	trace.end({ ...ended, outcome: { status: 'cancelled', error: { code: 'cancelled', message: 'TEXT' } } })
	expect(spans.map(({ name, end, error }) => [name, end, error])).toEqual([
		['execute_tool find', 5000, 'cancelled'],
		['invoke_agent helper', 5000, 'cancelled'],
	])
	expect(JSON.stringify(spans)).not.toContain('TEXT')
})

// Proves: observe.traces-sampled
test('the caller decides whether its trace is kept, else the host', () => {
	const id = 'a'.repeat(32)
	const at = (flags: string) => ({ run: { traceparent: `00-${id}-${'b'.repeat(16)}-${flags}` } })
	for (const [options, kept] of [
		[{ sampled: false }, false],
		[{ sampled: true, ...at('00') }, false],
		[{ sampled: false, ...at('01') }, true],
	] as const) {
		const { trace, spans } = traced(options)
		trace.take(model)
		trace.end(ended)
		expect(spans.length > 0).toBe(kept)
		expect(trace.traceparent.endsWith(kept ? '-01' : '-00')).toBe(true)
	}
})

test('a traceparent that is none is ignored', () => {
	const [traceId, spanId] = ['a'.repeat(32), 'b'.repeat(16)]
	const good = `00-${traceId}-${spanId}-01`
	expect(readTraceparent(good)).toEqual({ traceId, spanId, sampled: true })
	expect(readTraceparent(`01-${traceId}-${spanId}-00-more`)).toEqual({ traceId, spanId, sampled: false })
	for (const bad of [
		undefined,
		1,
		'',
		`${good}-more`,
		good.toUpperCase(),
		`ff-${traceId}-${spanId}-01`,
		`00-${'0'.repeat(32)}-${spanId}-01`,
		`00-${traceId}-${'0'.repeat(16)}-01`,
		[good],
	])
		expect(readTraceparent(bad)).toBeNull()
})
