import { ALLOWANCE, type Allowance, CALL_KEY, DEPTH } from '../../../wire/agent-calls.ts'
import {
	type ConnectorCallOptions,
	ConnectorError,
	type Resumed,
	type ToolReply,
} from '../../connectors/index.ts'
import { targetOf } from '../connector.ts'
import { answerWhileOpen } from '../questions.ts'
import type { Run } from '../run.ts'
import type { ConnectorTool } from '../tool-table.ts'
import { traceMeta } from '../trace.ts'
import type { ToolCall } from './tool-done.ts'

/**
 * Calls the tool, or calls it again with answers. Questions that come while the call is open are put before people; one
 * that nobody answers makes the result a failed one.
 */
export async function askTool(
	{ run, effect, tool, name, args }: ToolCall,
	resumed: Resumed | undefined,
	allowance: Allowance | undefined,
): Promise<ToolReply> {
	let unanswered = false
	const broken = Promise.withResolvers<never>()
	const options: ConnectorCallOptions = {
		signal: run.abort.signal,
		timeoutMs: timeoutOf(run, tool),
		repeatable: tool.repeatable,
		meta: {
			[DEPTH]: (run.begin.depth ?? 0) + 1,
			[CALL_KEY]: `${run.begin.run}/${effect.n}`,
			...(allowance && { [ALLOWANCE]: allowance }),
			...traceMeta(run, effect),
		},
		...(resumed && { resumed }),
		async ask(question, signal) {
			try {
				const asker = { name, connector: tool.connector.url }
				const answer = await answerWhileOpen(run, effect, asker, question, signal)
				unanswered ||= answer.action === 'cancel'
				return answer
			} catch (error) {
				broken.reject(error)
				return { action: 'cancel' }
			}
		},
	}
	const target = targetOf(run, tool.connector)
	const called = run.services.connectors
		.call(target, tool.name, args.input, options)
		.catch((error: unknown): ToolReply => {
			if (!unanswered || !(error instanceof ConnectorError)) throw error
			return { ok: false, output: error.message }
		})
	const reply = await Promise.race([called, broken.promise])
	if (!unanswered) return reply
	const output = `${name} asked its owner a question, and nobody answered in time. It ended with: ${reply.output}`
	return { ok: false, output, ...(reply.spent && { spent: reply.spent }) }
}

/** Longest wait for one call; the run's own time limit may end it sooner. */
function timeoutOf({ services }: Run, { connector }: ConnectorTool): number {
	return Math.min(connector.timeoutMs ?? services.providerTimeoutMs, services.connectorCeilingMs)
}
