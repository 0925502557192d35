import type { ConnectorDeps } from '../deps.ts'
import type { Gate } from './gate.ts'

/** Each call is counted by the host, and is a part of its caller's trace where the host makes traces. */
export function traced(gate: Gate, { trace, called }: Pick<ConnectorDeps, 'trace' | 'called'>): Gate {
	return {
		async call(tool, accountId, args, signal, traceparent) {
			const end = trace?.(tool.name, traceparent)
			const from = performance.now()
			const answer = await gate.call(tool, accountId, args, signal)
			end?.(answer.ok ? null : 'tool_error')
			const seconds = (performance.now() - from) / 1000
			called?.({ tool: tool.name, seconds, answer: answer.ok ? answer.content : null })
			return answer
		},
	}
}
