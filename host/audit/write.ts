import type { FastifyBaseLogger } from 'fastify'
import type { Actor } from '../auth/index.ts'
import { batched, type Sql } from '../db/index.ts'
import { newId } from '../lib/ids.ts'

/** What is written down of one request. */
export interface Entry {
	actor: Actor
	/** Whose log it is in; null: it is about the host. */
	account: string | null
	operation: string
	target: Record<string, string>
	status: number
	request: string
	address: string
}

export interface Audit {
	/** Nobody waits for it. What cannot be written is told in the log. */
	add(entry: Entry): void
	/** Waits for what is being written. */
	close(): Promise<void>
}

interface AuditParts {
	sql: Sql
	log: Pick<FastifyBaseLogger, 'error'>
}

export function openAudit({ sql, log }: AuditParts): Audit {
	const write = batched(async (entries: (Entry & { id: string })[]) => {
		await sql`
			insert into audit (id, account_id, actor_id, actor_kind, token_id, operation, target, status, request_id, address)
			select id, account, actor, kind, token, operation, target::json, status, request, address
			from unnest(
				${entries.map(({ id }) => id)}::text[],
				${entries.map(({ account }) => account)}::text[],
				${entries.map(({ actor }) => actor.account)}::text[],
				${entries.map(({ actor }) => actor.kind)}::text[],
				${entries.map(({ actor }) => actor.token)}::text[],
				${entries.map(({ operation }) => operation)}::text[],
				${entries.map(({ target }) => JSON.stringify(target))}::text[],
				${entries.map(({ status }) => status)}::int[],
				${entries.map(({ request }) => request)}::text[],
				${entries.map(({ address }) => address)}::text[]
			) as e(id, account, actor, kind, token, operation, target, status, request, address)
			on conflict do nothing`
		return entries.map(() => null)
	})
	const writing = new Set<Promise<unknown>>()
	return {
		add(entry) {
			const { operation, status, request } = entry
			const done = write({ id: newId('aud'), ...entry })
				.catch((err) =>
					log.error({ err, operation, status, request_id: request }, 'the audit log lacks a change'),
				)
				.finally(() => writing.delete(done))
			writing.add(done)
		},
		close: async () => void (await Promise.all(writing)),
	}
}
