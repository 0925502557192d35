import { z } from 'zod'
import { runStatuses } from './runs.ts'

/** One hour of a deployment. `runs` and `failures` count runs that were accepted in it, up to 10,000. */
const Hour = z.object({ runs: z.number().int(), failures: z.number().int(), refused: z.number().int() })

export const DeploymentOverview = z
	.object({
		/** 24, by the clock in UTC, oldest first; the last is the hour that is under way. */
		hours: z.array(Hour),
		last_run: z.object({ id: z.string(), status: z.enum(runStatuses), created_at: z.string() }).nullable(),
		/** Used of the deployment's budget in this month (UTC). Null: it has no budget, or a price is not known. */
		usd_month: z.number().nullable(),
		budget_usd_month: z.number().nullable(),
		next_run_at: z.string().nullable(),
		approvals_waiting: z.number().int(),
		/** Names of credentials that are not `ready`. */
		credentials_needing: z.array(z.string()),
	})
	.meta({ id: 'DeploymentOverview' })

/** `GET /v1/overview`: all deployments of the account, by id. */
export const Overview = z
	.object({
		/** Runs that failed and calls that were refused. */
		failures_24h: z.number().int(),
		approvals_waiting: z.number().int(),
		deployments: z.record(z.string(), DeploymentOverview),
	})
	.meta({ id: 'Overview' })

export type DeploymentOverview = z.infer<typeof DeploymentOverview>
export type Overview = z.infer<typeof Overview>
