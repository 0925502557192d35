import type { Effect } from '../../wire/recorded-effect.ts'
import { effectTraceparent } from '../../wire/trace.ts'
import type { Run } from './run.ts'

/** The member of `_meta`, or the header, that makes what an effect calls a part of the run's trace. */
export function traceMeta({ begin }: Run, { n }: Effect): { traceparent: string } | undefined {
	const traceparent = effectTraceparent(begin.traceparent, begin.run, n)
	return traceparent === undefined ? undefined : { traceparent }
}
