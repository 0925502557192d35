import { hash } from 'node:crypto'

// W3C Trace Context. The ids of a run's spans follow from its id and the numbers of its effects: host, runtime and a host
// that takes the run over name the same spans without asking each other.

export interface TraceContext {
	/** 32 hex digits. */
	traceId: string
	/** 16 hex digits. */
	spanId: string
	sampled: boolean
}

/** Null: it is none, or has a version that does not exist. Versions to come may have more fields. */
export function readTraceparent(value: unknown): TraceContext | null {
	if (typeof value !== 'string') return null
	const [, version, traceId = '', spanId = '', flags = '', more] =
		/^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(value) ?? []
	if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null
	if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null
	return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export const traceparentOf = ({ traceId, spanId, sampled }: TraceContext) =>
	`00-${traceId}-${spanId}-0${sampled ? 1 : 0}`

/** Of a run that no caller's trace contains. */
export const traceOfRun = (run: string) => hash('sha256', `trace ${run}`).slice(0, 32)
export const spanOfRun = (run: string) => hash('sha256', `span ${run}`).slice(0, 16)
export const spanOfEffect = (run: string, effect: number) =>
	hash('sha256', `span ${run}/${effect}`).slice(0, 16)

/** What a call of this effect sends along; undefined: the run is not traced. `traceparent`: the run's own. */
export function effectTraceparent(
	traceparent: string | undefined,
	run: string,
	effect: number,
): string | undefined {
	const context = readTraceparent(traceparent)
	return context ? traceparentOf({ ...context, spanId: spanOfEffect(run, effect) }) : undefined
}
