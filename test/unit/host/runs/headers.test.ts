import { describe, expect, test } from 'vitest'
import {
	readIdempotencyKey,
	readLastEventId,
	readPrefer,
	wantsStream,
} from '../../../../host/runs/http/headers.ts'

describe('Prefer (RFC 7240)', () => {
	// Proves: run.prefer-wait
	test.each([
		[undefined, 100_000, null],
		['', 100_000, null],
		['respond-async', 0, 'respond-async'],
		['Respond-Async', 0, 'respond-async'],
		['wait=5', 5_000, 'wait=5'],
		['wait="5"', 5_000, 'wait=5'],
		['wait = 5 ; x=y', 5_000, 'wait=5'],
		['respond-async, wait=5', 5_000, 'respond-async, wait=5'],
		['wait=5, wait=9', 5_000, 'wait=5'],
		['wait=100000', 600_000, 'wait=600'],
		['wait=-1', 100_000, null],
		['wait=soon', 100_000, null],
		['handling=lenient', 100_000, null],
	])('of %s waits %i ms and applies %s', (header, waitMs, applied) => {
		expect(readPrefer(header)).toEqual({ waitMs, applied })
	})
})

describe('Idempotency-Key', () => {
	test.each([
		[undefined, null],
		['abc', 'abc'],
		['"abc"', 'abc'],
		['"a\\"b\\\\c"', 'a"b\\c'],
		['"open', '"open'],
	])('of %s is %s', (header, key) => {
		expect(readIdempotencyKey(header)).toBe(key)
	})

	test.each(['', '""', 'x'.repeat(256), 'tab\there'])('of %j is refused', (header) => {
		expect(() => readIdempotencyKey(header)).toThrow('Idempotency-Key')
	})
})

// Proves: event.stream, event.stream-weighed
test.each([
	['text/event-stream', true],
	['application/json, text/event-stream', true],
	['application/json;q=0.9, Text/Event-Stream; q=0.9', true],
	['application/json, text/event-stream;q=0.9', false],
	['application/json, text/event-stream;q=0', false],
	['text/event-stream;q=0.000', false],
	['text/event-stream;q=0.5, */*;q=0.1', true],
	['text/event-stream;q=0.5, */*;q=0.8', false],
	['text/event-stream;q=0.5, application/json;q=0.2, */*', true],
	['text/event-stream;charset=utf-8', true],
	['text/event-streams', false],
	['*/*', false],
	[undefined, false],
])('Accept %s asks for a stream: %s', (accept, stream) => {
	expect(wantsStream(accept)).toBe(stream)
})

// Proves: event.resume
test('Last-Event-ID is the number of an event, and none is the beginning', () => {
	expect(readLastEventId(undefined)).toBe(0)
	expect(readLastEventId('12')).toBe(12)
	expect(() => readLastEventId('run_1')).toThrow('Last-Event-ID')
})
