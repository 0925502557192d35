import type { ProblemCode } from './errors.ts'
import type { Auth } from './route.ts'

// The `config` of a route, by who may call it: its `operationId`, one sentence, and the codes it answers with beside those
// that every route of its kind has (host/http/openapi/answers.ts).

const by =
	(who: { auth?: Auth }) =>
	(operation: string, summary: string, errors: readonly ProblemCode[] = []) => ({
		operation,
		summary,
		errors,
		...who,
	})

export const owner = by({ auth: 'owner' })
export const operator = by({ auth: 'operator' })
export const runKey = by({ auth: 'run_key' })
export const upload = by({ auth: 'upload' })
export const anyone = by({})
