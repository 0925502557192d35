import { z } from 'zod'
import { Budgets } from './budgets.ts'
import { expiry, nameOf } from './common.ts'

// Run keys of a deployment (spec key.scopes): several, each with scopes; a value is shown once.

export const runKeyScopes = ['run', 'read', 'cancel', 'read:all'] as const

export const RunKey = z
	.object({
		id: z.string(),
		name: z.string(),
		scopes: z.array(z.enum(runKeyScopes)),
		/** Id of the first key of a rotation; its successors see the runs of all of them. */
		lineage: z.string(),
		/** Shared by all of them. */
		budgets: Budgets.nullable(),
		created_at: z.string(),
		expires_at: z.string().nullable(),
		last_used_at: z.string().nullable(),
		revoked_at: z.string().nullable(),
	})
	.meta({ id: 'RunKey' })

const scopes = z
	.array(z.enum(runKeyScopes))
	.min(1)
	.refine((list) => new Set(list).size === list.length, { message: 'A scope is named twice.' })

/** Body of `POST /v1/deployments/{id}/keys`. */
export const CreateKey = z
	.strictObject({
		name: nameOf(100).default('run key'),
		scopes: scopes.default(['run', 'read', 'cancel']),
		expires_at: expiry,
		budgets: Budgets.nullish(),
	})
	.prefault({})
	.meta({ id: 'CreateKey' })

/** Body of `PATCH …/keys/{id}`. */
export const PatchKey = z
	.strictObject({ name: nameOf(100).optional(), budgets: Budgets.nullish() })
	.meta({ id: 'PatchKey' })

/** Body of `POST …/keys/{id}/rotate`: how long the old one still works. */
export const RotateKey = z
	.strictObject({
		overlap_seconds: z
			.number()
			.int()
			.min(0)
			.max(30 * 86_400)
			.default(86_400),
	})
	.prefault({})
	.meta({ id: 'RotateKey' })

/** The only answer that holds the value. */
export const IssuedKey = RunKey.extend({ run_key: z.string() }).meta({ id: 'IssuedKey' })

export const KeyList = z.object({ data: z.array(RunKey) }).meta({ id: 'KeyList' })

export type RunKey = z.infer<typeof RunKey>
export type IssuedKey = z.infer<typeof IssuedKey>
export type KeyList = z.infer<typeof KeyList>
