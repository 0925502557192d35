import { expect, test } from 'vitest'
import { requestTrace } from '../../../../host/start/log-traces.ts'

// Proves: observe.log-traces
test('only a well-formed traceparent gets into the log', () => {
	const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
	expect(requestTrace(`00-${trace}-00f067aa0ba902b7-01`)).toEqual({ trace_id: trace })
	for (const header of [undefined, 'secret', ['a', 'b'], `00-${trace}-0000000000000000-01`])
		expect(requestTrace(header)).toEqual({})
})
