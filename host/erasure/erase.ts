import { sharedNow } from '../../runtime/lib/clock.ts'
import type { ErasedAccount } from '../api/erasure.ts'
import type { Auth, Secrets } from '../auth/index.ts'
import type { Sql, Tx } from '../db/index.ts'
import { deleteDeployment, type LifecycleParts } from '../deployments/index.ts'
import { forgetFiles } from '../files/index.ts'
import { notFound, Problem } from '../http/errors.ts'
import { isId } from '../lib/ids.ts'
import { eraseAllRuns } from './runs.ts'

export interface ErasureParts extends LifecycleParts {
	auth: Pick<Auth, 'requireOwner' | 'requireOperator' | 'grants'>
	secrets: Pick<Secrets, 'issue' | 'forget' | 'forgetAccount'>
}

/**
 * Everything of an account whose deployments are deleted: first what is much, in batches, then the rest and the account
 * itself in one transaction. One that was interrupted is called again and goes on (spec retention.erase-account).
 */
export async function eraseAccount(
	{ sql, auth, secrets }: Pick<ErasureParts, 'sql' | 'auth' | 'secrets'>,
	account: string,
	request: string,
): Promise<ErasedAccount> {
	await requireErasable(sql, account)
	const runs = await eraseAllRuns(sql, account)
	let grants = 0
	for (const { id } of await auth.grants.list(account)) if (await auth.grants.revoke(account, id)) grants++
	const rest = await sql.begin(async (tx) => {
		await tx`select 1 from accounts where id = ${account} for no key update`
		await requireErasable(tx, account)
		return eraseRest(tx, account)
	})
	await secrets.forgetAccount(account)
	return {
		account,
		erased_at: new Date(sharedNow()).toISOString(),
		request_id: request,
		...runs,
		...rest,
		files: runs.files + rest.files,
		grants,
	}
}

/** Of an account that is to be erased by an operator. */
export async function deleteDeployments(parts: ErasureParts, account: string): Promise<void> {
	const rows = await parts.sql<{ id: string }[]>`
		select id from deployments where account_id = ${account} and state <> 'deleted'`
	for (const { id } of rows) await deleteDeployment(parts, account, id)
}

async function requireErasable(sql: Sql | Tx, account: string): Promise<void> {
	const [row] = isId('acc', account)
		? await sql<{ operator: boolean; live: string[]; running: boolean }[]>`
			select operator, array(select name from deployments where account_id = a.id and state <> 'deleted' order by id) as live,
				exists (select 1 from deployments d join runs r on r.deployment_id = d.id
					and r.status in ('queued', 'running', 'waiting') where d.account_id = a.id) as running
			from accounts a where id = ${account}`
		: []
	if (!row) throw notFound('There is no such account.')
	if (row.operator)
		throw new Problem('conflict', 'An operator is not erased. Take the operator role away first.')
	if (row.live.length > 0)
		throw new Problem('conflict', `Delete these deployments first: ${row.live.join(', ')}.`)
	if (row.running)
		throw new Problem('conflict', 'Runs of deleted deployments are ending. Try again in a minute.')
}

type Rest = Omit<
	ErasedAccount,
	'account' | 'erased_at' | 'request_id' | 'grants' | keyof Awaited<ReturnType<typeof eraseAllRuns>>
> & { files: number }

/** What other rows refer to comes last. The account stays as a row without a name: ledger and audit log refer to it. */
async function eraseRest(tx: Tx, account: string): Promise<Rest> {
	const ids = (await tx<{ id: string }[]>`select id from deployments where account_id = ${account}`).map(
		({ id }) => id,
	)
	const digests = (
		await tx<{ digest: string }[]>`select distinct digest from versions where deployment_id = any(${ids})`
	).map(({ digest }) => digest)
	const lineages = (
		await tx<{ lineage: string }[]>`select distinct lineage from run_keys where deployment_id = any(${ids})`
	).map(({ lineage }) => lineage)
	const of = async (table: string, column = 'deployment_id', values: string[] = ids) =>
		(await tx`delete from ${tx(table)} where ${tx(column)} = any(${values})`).count
	for (const table of ['tool_locks', 'refusals', 'memory', 'memory_totals', 'budget_reservations'])
		await of(table)
	await of('budget_usage', 'id', [...ids, ...lineages])
	await of('alerts', 'account_id', [account])
	await of('openid_subjects', 'account_id', [account])
	const files = await forgetFiles(tx, account)
	await of('idempotency', 'account_id', [account])
	const erased = {
		files,
		memory_versions: await of('memory_versions'),
		schedules: await of('schedules'),
		endpoints: await of('endpoints'),
		run_keys: await of('run_keys'),
		credentials: await of('credentials'),
		versions: await of('versions'),
		bundles: (
			await tx`
				delete from bundles b where digest = any(${digests})
					and not exists (select 1 from versions v where v.digest = b.digest)`
		).count,
		deployments: await of('deployments', 'id'),
		tokens: await of('tokens', 'account_id', [account]),
		audit: (
			await tx`
				update audit set address = '', target = (target::jsonb - 'program')::json
				where (account_id = ${account} or actor_id = ${account}) and address <> ''`
		).count,
	}
	for (const id of ids) await tx`select pg_notify('deployments', ${id})`
	await tx`
		update accounts set email = ${`${account}@erased.invalid`}, password_hash = null, tester = false,
			disabled_at = coalesce(disabled_at, now())
		where id = ${account}`
	return erased
}
