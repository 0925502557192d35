import type { Entry } from '../../runtime/wire/journal.ts'
import {
	readTraceparent,
	spanOfEffect,
	spanOfRun,
	type TraceContext,
	traceOfRun,
	traceparentOf,
} from '../../runtime/wire/trace.ts'
import { agentAttributes, effectSpan, textOfMessage } from './attributes.ts'
import type { RunTrace, Span, TracedRun } from './types.ts'

export interface RunTraceOptions {
	send(span: Span): void
	/** Whether a trace that begins here is kept. */
	sampled(traceId: string): boolean
	/** Texts go along. */
	content: boolean
}

/** Follows a run by its journal: one span for the run, and one for each model call, tool call and HTTP request. */
export function traceRun(run: TracedRun, { send, sampled, content }: RunTraceOptions): RunTrace {
	const parent = readTraceparent(run.traceparent)
	const traceId = parent?.traceId ?? traceOfRun(run.id)
	const own: TraceContext = {
		traceId,
		spanId: spanOfRun(run.id),
		sampled: parent?.sampled ?? sampled(traceId),
	}
	/** First entries of the calls under way, by number. */
	const open = new Map<number, Entry>()

	const tell = (call: number, first: Entry, last: Entry | null, rest: Pick<Span, 'end' | 'error'>) =>
		send({
			...effectSpan(run, first, last, content),
			traceId,
			spanId: spanOfEffect(run.id, call),
			parentId: own.spanId,
			start: first.at,
			...rest,
		})
	const follow = (entries: Entry[], tells: boolean) => {
		for (const entry of entries) {
			// One that was never begun, as nobody can read its arguments, has no number.
			const call = typeof entry.data.call === 'number' ? entry.data.call : -entry.seq
			if (starts.has(entry.type) && !open.has(call)) open.set(call, entry)
			if (!ends.has(entry.type)) continue
			if (tells) tell(call, open.get(call) ?? entry, entry, { end: entry.at, error: errorOf(entry) })
			open.delete(call)
		}
	}
	return {
		traceparent: traceparentOf(own),
		take: (entries) => own.sampled && follow(entries, true),
		recall: (journal) => own.sampled && follow(journal, false),
		end({ outcome, usage, completedAt }) {
			if (!own.sampled) return
			const error = outcome.status === 'succeeded' ? null : outcome.error.code
			for (const [call, first] of open)
				tell(call, first, null, { end: completedAt, error: error ?? 'cut_off' })
			open.clear()
			const output = outcome.status === 'succeeded' ? outcome.output : null
			send({
				name: `invoke_agent ${run.deployment.name}`,
				kind: 'server',
				...{ traceId, spanId: own.spanId, parentId: parent?.spanId },
				start: run.createdAt,
				end: completedAt,
				attributes: {
					...agentAttributes(run, usage),
					...(content && { 'gen_ai.input.messages': textOfMessage('user', run.inputs) }),
					...(content && output && { 'gen_ai.output.messages': textOfMessage('assistant', output) }),
				},
				error,
			})
		},
	}
}

const starts = new Set<Entry['type']>(['model.started', 'tool.started', 'http.started'])
const ends = new Set<Entry['type']>(['model.completed', 'tool.completed', 'http.completed'])

/** A code: messages may hold what people wrote. */
function errorOf({ ok, data }: Entry): string | null {
	const code = (data.error as { code?: string } | undefined)?.code
	if (ok !== false && data.ok !== false) return Number(data.status) >= 400 ? String(data.status) : null
	return code ?? 'tool_error'
}
