import { and, desc, eq, isNull } from 'drizzle-orm'
import { sharedNow } from '../../runtime/lib/clock.ts'
import { query, type Rows, read, type Sql, tables } from '../db/index.ts'
import { Problem } from '../http/errors.ts'
import type { Owner } from './auth.ts'
import type { SecretKind } from './secret-format.ts'
import type { IssuedSecret, Secrets } from './secrets.ts'

export type TokenRow = Pick<
	Rows['tokens'],
	'id' | 'name' | 'created_at' | 'expires_at' | 'last_used_at' | 'revoked_at'
>

const tokensMax = 100

/** How long each kind lasts by default, in seconds; null: until revoked. */
const lifetimes = { personal: null, session: 14 * 86_400, upload: 3_600, sign_in: 86_400 } as const
export const sessionSeconds = lifetimes.session

type TokenKind = Exclude<SecretKind, 'run_key' | 'console'>

export async function issueToken(
	{ sql, secrets }: { sql: Sql; secrets: Secrets },
	accountId: string,
	kind: TokenKind,
	name: string,
	expiresAt?: Date | null,
): Promise<IssuedSecret & { row: TokenRow }> {
	const issued = await secrets.issue(kind)
	const seconds = lifetimes[kind]
	const expires = expiresAt ?? (seconds === null ? null : new Date(sharedNow() + seconds * 1000))
	const [row] = await sql<TokenRow[]>`
		insert into tokens (id, account_id, kind, name, hash, expires_at)
		select ${issued.id}, ${accountId}, ${kind}, ${name}, ${issued.hash}, ${expires}
		where ${kind !== 'personal'} or
			(select count(*) from tokens where account_id = ${accountId} and kind = 'personal' and revoked_at is null) < ${tokensMax}
		returning id, name, created_at, expires_at, last_used_at, revoked_at`
	if (!row) throw new Problem('conflict', `An account has at most ${tokensMax} tokens. Revoke one first.`)
	return { ...issued, row }
}

/** OAuth lets a program in until somebody ends it. So it makes nothing by which it would get in afterwards. */
export function refuseProgram(
	{ token }: Owner,
	what: string,
	how = 'Use the console, or a personal access token made there (/hub/tokens).',
): void {
	if (token.kind !== 'oauth') return
	throw new Problem('forbidden', `A program that was let in, as by \`berth login\`, cannot ${what}. ${how}`)
}

export async function listTokens(sql: Sql, accountId: string): Promise<TokenRow[]> {
	const { id, name, created_at, expires_at, last_used_at, revoked_at, account_id, kind } = tables.tokens
	return read(
		sql,
		query
			.select({ id, name, created_at, expires_at, last_used_at, revoked_at })
			.from(tables.tokens)
			.where(and(eq(account_id, accountId), eq(kind, 'personal'), isNull(revoked_at)))
			.orderBy(desc(id)),
	)
}

/** True where there was one of this account's to revoke. Once revoked it stays so; safe to repeat. */
export async function revokeToken(
	{ sql, secrets }: { sql: Sql; secrets: Secrets },
	accountId: string,
	id: string,
	kind: TokenKind,
): Promise<boolean> {
	const revoked = await sql`
		update tokens set revoked_at = coalesce(revoked_at, now())
		where id = ${id} and account_id = ${accountId} and kind = ${kind} returning id`
	if (revoked.length > 0) await secrets.forget(id)
	return revoked.length > 0
}

/** One-time: of two who use a sign-in link at once, one gets in. */
export async function consumeSignInLink(
	{ sql, secrets }: { sql: Sql; secrets: Secrets },
	link: string,
): Promise<string | null> {
	const subject = await secrets.verify(link)
	if (subject?.kind !== 'sign_in' || subject.account.disabled) return null
	const used = await sql`
		update tokens set revoked_at = now() where id = ${subject.id} and revoked_at is null returning id`
	await secrets.forget(subject.id)
	return used.length > 0 ? subject.accountId : null
}

/** Sessions, console and upload tokens and sign-in links whose time is over; personal tokens stay, for their owner to see. */
export async function forgetOldTokens(sql: Sql): Promise<void> {
	await sql`delete from tokens where kind <> 'personal' and expires_at < now() - interval '1 day'`
}
