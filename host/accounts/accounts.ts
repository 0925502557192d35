import postgres from 'postgres'
import { type AccountRow, accountRows, findAccount, hashPassword, type Secrets } from '../auth/index.ts'
import type { Sql, Tx } from '../db/index.ts'
import { Problem } from '../http/errors.ts'
import { newId } from '../lib/ids.ts'
import { freeAmount } from './ledger.ts'
import { tellDeployments } from './plans.ts'

export interface NewAccount {
	email: string
	password?: string | undefined
	plan?: string | undefined
	tester?: boolean | undefined
	operator?: boolean | undefined
}

export type AccountChange = Partial<Omit<NewAccount, 'email'>> & {
	disabled?: boolean | undefined
	alert_mail?: boolean | undefined
	forget_openid?: true | undefined
}

/** Newest first, one more than `limit` where there is more. */
export async function listAccounts(
	sql: Sql,
	{ limit, before, email }: { limit: number; before?: string | undefined; email?: string | undefined },
): Promise<AccountRow[]> {
	return sql<AccountRow[]>`
		${accountRows(sql)}
		where ${before ? sql`a.id < ${before}` : true} and ${email ? sql`lower(a.email) = lower(${email})` : true}
		order by a.id desc limit ${limit + 1}`
}

/** The account, its free credits and their line in the ledger are one statement. */
export async function createAccount(sql: Sql, account: NewAccount): Promise<AccountRow> {
	const { email, password, plan = 'free', tester = false, operator = false } = account
	const hash = password === undefined ? null : await hashPassword(password)
	const id = newId('acc')
	try {
		await sql`
			with made as (
				insert into accounts (id, email, password_hash, plan, tester, operator, balance)
				values (${id}, ${email}, ${hash}, ${plan}, ${tester}, ${operator}, ${freeAmount})
				returning id, balance
			)
			insert into ledger (id, account_id, amount, balance, reason)
			select ${newId('ldg')}, id, balance, balance, 'free credits' from made`
	} catch (error) {
		throw refusal(error, plan)
	}
	return (await findAccount(sql, id)) as AccountRow
}

interface Changed extends AccountRow {
	/** Where the password was set: how many browsers that signed out. */
	ended_sessions?: number
}

/**
 * A password ends all browser sessions but `keep`, and links that sign in; programs and personal tokens stay. Null: there
 * is no such account.
 */
export async function changeAccount(
	{ sql, secrets }: { sql: Sql; secrets: Pick<Secrets, 'forgetAccount'> },
	id: string,
	change: AccountChange,
	keep = '',
): Promise<Changed | null> {
	const { password, plan, tester, operator, disabled, alert_mail, forget_openid = false } = change
	const hash = password === undefined ? null : await hashPassword(password)
	const write = (tx: Sql | Tx) => tx<{ ended: number }[]>`
			with forgotten as (delete from openid_subjects where account_id = ${id} and ${forget_openid}),
			ended as (
				update tokens set revoked_at = now()
				where account_id = ${id} and kind in ('session', 'sign_in') and revoked_at is null
					and expires_at > now() and id <> ${keep} and ${hash !== null}
				returning kind
			)
			update accounts set
				password_hash = coalesce(${hash}, password_hash),
				plan = coalesce(${plan ?? null}, plan),
				tester = coalesce(${tester ?? null}, tester),
				operator = coalesce(${operator ?? null}, operator),
				alert_mail = coalesce(${alert_mail ?? null}, alert_mail),
				disabled_at = case ${disabled ?? null}::boolean
					when true then coalesce(disabled_at, now()) when false then null else disabled_at end
			where id = ${id}
			returning (select count(*)::int from ended where kind = 'session') as ended`
	let ended: number | undefined
	try {
		const [written] =
			disabled !== true && operator !== false
				? await write(sql)
				: await sql.begin(async (tx) => {
						await requireOtherOperator(tx, id)
						return write(tx)
					})
		ended = written?.ended
	} catch (error) {
		throw refusal(error, plan ?? '')
	}
	await secrets.forgetAccount(id)
	if (plan !== undefined) await tellDeployments(sql, sql`a.id = ${id}`)
	const account = await findAccount(sql, id)
	return account && { ...account, ...(hash !== null && { ended_sessions: ended ?? 0 }) }
}

/** Two that are changed at once wait for each other here. */
async function requireOtherOperator(tx: Tx, id: string): Promise<void> {
	const operators = await tx<{ id: string; email: string }[]>`
		select id, email from accounts where operator and disabled_at is null order by id for no key update`
	const [only, other] = operators
	if (only?.id !== id || other) return
	throw new Problem(
		'conflict',
		`${only.email} is the only operator: without one, nobody could sign in to administer this host. Make another first: \`berth admin accounts set ACCOUNT --operator\`.`,
	)
}

function refusal(error: unknown, plan: string): unknown {
	if (!(error instanceof postgres.PostgresError)) return error
	if (error.constraint_name === 'accounts_email') {
		return new Problem('conflict', 'There is an account of that e-mail address.')
	}
	if (error.code === '23503') {
		const errors = [{ path: '/plan', message: `There is no plan ${plan}.` }]
		return new Problem('invalid_request', `There is no plan ${plan}.`, { errors })
	}
	return error
}
