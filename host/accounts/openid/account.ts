import { email as emailAddress } from '../../api/account.ts'
import { type AccountRow, findAccount } from '../../auth/index.ts'
import type { Sql } from '../../db/index.ts'
import { Problem } from '../../http/errors.ts'
import type { Config } from '../../settings/config.ts'
import { createAccount } from '../accounts.ts'
import type { Identity } from './provider.ts'

export type RegistrationSettings = Pick<Config, 'OIDC_REGISTRATION' | 'OIDC_ALLOWED_DOMAINS'>

export type Refusal =
	| 'subject'
	| 'unverified'
	| 'address'
	| 'unknown'
	| 'domain'
	| 'other_subject'
	| 'disabled'
export type Mapped = { account: AccountRow; made: boolean } | { refused: Refusal }

/** OpenID Connect Core 1.0 section 2 allows 255 ASCII characters. */
const longestSubject = 255

/**
 * Whose account an identity is. Once bound, issuer and subject alone decide, so that a changed or reused e-mail address
 * opens nobody else's. Of two first sign-ins at once, one binds.
 */
export async function accountOf(
	sql: Sql,
	identity: Identity,
	settings: RegistrationSettings,
): Promise<Mapped> {
	// Nothing that the database could keep.
	if (identity.subject.includes('\0') || identity.subject.length > longestSubject)
		return { refused: 'subject' }
	const bound = await boundAccount(sql, identity)
	if (bound) return allowed(bound, false)
	if (identity.email === null) return { refused: 'unverified' }
	if (!emailAddress.safeParse(identity.email).success) return { refused: 'address' }
	const there = await accountByEmail(sql, identity.email)
	const made = there ? null : await register(sql, identity.email, settings)
	if (typeof made === 'string') return { refused: made }
	const account = there ?? made ?? (await accountByEmail(sql, identity.email))
	if (!account) return { refused: 'unknown' }
	if (account.disabled) return { refused: 'disabled' }
	await sql`
		insert into openid_subjects (issuer, subject, account_id)
		values (${identity.issuer}, ${identity.subject}, ${account.id}) on conflict do nothing`
	// Not ours: somebody else of this provider was bound to the account before, or at this moment.
	const now = await boundAccount(sql, identity)
	return now?.id === account.id ? allowed(now, made !== null) : { refused: 'other_subject' }
}

const allowed = (account: AccountRow, made: boolean): Mapped =>
	account.disabled ? { refused: 'disabled' } : { account, made }

async function boundAccount(sql: Sql, { issuer, subject }: Identity): Promise<AccountRow | null> {
	const [row] = await sql<{ account_id: string }[]>`
		select account_id from openid_subjects where issuer = ${issuer} and subject = ${subject}`
	return row ? findAccount(sql, row.account_id) : null
}

async function accountByEmail(sql: Sql, email: string): Promise<AccountRow | null> {
	const [row] = await sql<{ id: string }[]>`select id from accounts where lower(email) = lower(${email})`
	return row ? findAccount(sql, row.id) : null
}

/** Null: another sign-in made the account meanwhile. */
async function register(
	sql: Sql,
	email: string,
	{ OIDC_REGISTRATION, OIDC_ALLOWED_DOMAINS }: RegistrationSettings,
): Promise<AccountRow | Refusal | null> {
	if (OIDC_REGISTRATION !== 'open') return 'unknown'
	const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
	if (OIDC_ALLOWED_DOMAINS.length > 0 && !OIDC_ALLOWED_DOMAINS.includes(domain)) return 'domain'
	try {
		return await createAccount(sql, { email })
	} catch (error) {
		if (error instanceof Problem && error.code === 'conflict') return null
		throw error
	}
}
