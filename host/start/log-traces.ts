import { readTraceparent } from '../../runtime/wire/trace.ts'

/** The `traceparent` of a live run; undefined: it is not here, or not traced. */
type Find = (run: string) => string | undefined

/** Gives lines of the log that name a run the id of its trace, once the host knows its runs. */
export function logTraces() {
	let find: Find = () => undefined
	return {
		/** For pino: asked of each line that is written. */
		add(line: Record<string, unknown>): Record<string, unknown> {
			const { run } = line
			const trace = typeof run === 'string' ? readTraceparent(find(run)) : null
			return trace ? { ...line, trace_id: trace.traceId } : line
		},
		findBy(by: Find): void {
			find = by
		},
	}
}

/** Of a caller that sends one: each line about its request names its trace. */
export function requestTrace(header: unknown): { trace_id?: string } {
	const trace = readTraceparent(header)
	return trace ? { trace_id: trace.traceId } : {}
}
