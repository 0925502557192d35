import { z } from 'zod'
import { PageQuery, pageOf, time } from './common.ts'

/** What endpoints of the deployment are told of beside its runs, and its owner by e-mail. */
export const alertTypes = [
	'agent.failing',
	'budget.warning',
	'credential.needs_sign_in',
	'endpoint.disabled',
] as const
export type AlertType = (typeof alertTypes)[number]

export const Alert = z
	.object({
		id: z.string(),
		type: z.enum(alertTypes),
		deployment: z.string(),
		/** Its name. */
		name: z.string(),
		at: time,
		/** Of `agent.failing`: when a run of it succeeded again. */
		cleared_at: time.nullable(),
		/** As in `data` of the webhook. */
		data: z.record(z.string(), z.unknown()),
	})
	.meta({ id: 'Alert' })

export const AlertQuery = PageQuery
export const AlertPage = pageOf(Alert)

export type Alert = z.infer<typeof Alert>
