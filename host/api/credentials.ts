import { z } from 'zod'

// Credentials are write-only (spec credential.write-only): what is read is their state, never a value.

export const credentialStates = ['missing', 'ready', 'rejected', 'needs_sign_in'] as const

export const Credential = z
	.object({
		/** `provider`, `connector:<slug of its URL>`, or `http:<name of the secret>`. */
		name: z.string(),
		kind: z.enum(['provider', 'oauth', 'bearer', 'secret']),
		/** What asks for it: the provider's name, the connector's URL, or the origin that `ctx.http` calls. */
		needed_by: z.string(),
		/** The origin or canonical URL it is to be sealed for, and the only place it is ever sent to. */
		aud: z.string(),
		state: z.enum(credentialStates),
		/** Grows with every replacement. */
		version: z.number(),
		updated_at: z.string(),
		last_used_at: z.string().nullable(),
		last_error: z.string().nullable(),
		/** What a sign-in may do, as it was uploaded: names with spaces between them. */
		scope: z.string().nullable(),
		/** What the connector asked for besides. */
		missing_scope: z.string().nullable(),
	})
	.meta({ id: 'Credential' })

/** Body of `PUT {deployment_url}/credentials/{name}`: a compact JWE to the deployment's sealing key. */
export const PutCredential = z
	.strictObject({ jwe: z.string().min(1).max(65_536) })
	.meta({ id: 'PutCredential' })

export const CredentialList = z
	.object({
		data: z.array(Credential),
		/** What to seal to, as in the answer of the create. */
		sealing_key: z.record(z.string(), z.string()),
	})
	.meta({ id: 'CredentialList' })

export type Credential = z.infer<typeof Credential>
export type PutCredential = z.infer<typeof PutCredential>
export type CredentialList = z.infer<typeof CredentialList>
