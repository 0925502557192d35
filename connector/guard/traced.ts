import type { ConnectorDeps } from '../deps.ts'
import type { Gate } from './gate.ts'

/** Each call as a part of its caller's trace, where the host makes traces. */
export function traced(gate: Gate, trace: ConnectorDeps['trace']): Gate {
	if (!trace) return gate
	return {
		async call(tool, accountId, args, signal, traceparent) {
			const end = trace(tool.name, traceparent)
			const answer = await gate.call(tool, accountId, args, signal)
			end(answer.ok ? null : 'tool_error')
			return answer
		},
	}
}
