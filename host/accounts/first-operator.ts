import type { Secrets } from '../auth/index.ts'
import { issueToken } from '../auth/index.ts'
import type { Sql } from '../db/index.ts'
import { createAccount } from './accounts.ts'

const email = 'operator@localhost'

/**
 * The first start on a database makes the first operator (insert-first: of several hosts, one does). Until an operator
 * can sign in by a password, each start prints a new one-time link. Null: not needed.
 */
export async function firstOperatorLink(
	{ sql, secrets }: { sql: Sql; secrets: Secrets },
	baseUrl: string,
): Promise<string | null> {
	const claimed = await sql`
		insert into settings (name, value) values ('first_operator', to_json(${email}::text))
		on conflict (name) do nothing returning name`
	if (claimed.length > 0) await createAccount(sql, { email, plan: 'team', operator: true })
	const [operator] = await sql<{ id: string; signs_in: boolean }[]>`
		select id, password_hash is not null as signs_in from accounts
		where operator and disabled_at is null order by password_hash is null, id limit 1`
	if (!operator || operator.signs_in) return null
	const { secret } = await issueToken({ sql, secrets }, operator.id, 'sign_in', 'first operator')
	return `${baseUrl}/sign-in?link=${secret}`
}
