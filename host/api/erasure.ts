import { z } from 'zod'
import { time } from './common.ts'

const count = z.number().int()

/** Body of `POST /v1/account/erase`: the account's own e-mail address, so that nobody does it by mistake. */
export const EraseAccount = z.strictObject({ confirm: z.string().max(254) }).meta({ id: 'EraseAccount' })

/** The receipt of an erased account: what was deleted. The audit log keeps it. */
export const ErasedAccount = z
	.object({
		account: z.string(),
		erased_at: time,
		/** Finds the entry of the audit log. */
		request_id: z.string(),
		deployments: count,
		versions: count,
		bundles: count,
		credentials: count,
		run_keys: count,
		schedules: count,
		endpoints: count,
		runs: count,
		/** Commits of journals; each holds the events that were written together. */
		journal: count,
		approvals: count,
		deliveries: count,
		attempts: count,
		/** Uploads, and files of runs. */
		files: count,
		/** Every kept version of every file. */
		memory_versions: count,
		/** Personal, of browsers and of links. */
		tokens: count,
		/** Programs and MCP clients that were signed in. */
		grants: count,
		/** Entries of the audit log whose network address was removed. */
		audit: count,
	})
	.meta({ id: 'ErasedAccount' })

export type ErasedAccount = z.infer<typeof ErasedAccount>
