import { AsyncLocalStorage } from 'node:async_hooks'
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Sql } from '../deps.ts'
import { epochTime, now } from './clock.ts'
import { digest, type NewRow, repeatSeconds } from './rows.ts'

// One token exchange. Consuming the code or refresh token and storing what it buys is one statement, so a code buys one
// answer however many ask at once, and a crash leaves the old token usable or the new ones stored, never neither.
// The answer is kept with the refresh token it consumed, encrypted under a key made from that token: the client may
// lose it and ask again for 30 s. Later, or by another client, it is reuse, and the whole grant dies (oidc-provider).

interface Exchange {
	consumed: { model: string; id: string } | null
	writes: NewRow[]
	/** The stored answer of an exchange that this one repeats. */
	repeated: string | null
}

const exchanges = new AsyncLocalStorage<Exchange>()

export function currentExchange(): Exchange | undefined {
	return exchanges.getStore()
}

interface TokenContext {
	status: number
	body: unknown
	oidc?: {
		params?: Record<string, unknown>
		entities: { AuthorizationCode?: { grantId?: string }; DeviceCode?: { grantId?: string } }
	}
}

/** Middleware around the token endpoint. */
export async function exchangeTokens(
	sql: Sql,
	ctx: TokenContext,
	next: () => Promise<void>,
	revokeGrant: (grantId: string) => Promise<void>,
): Promise<void> {
	const exchange: Exchange = { consumed: null, writes: [], repeated: null }
	await exchanges.run(exchange, next)
	if (ctx.status !== 200 || !exchange.consumed) return
	const presented = ctx.oidc?.params?.refresh_token
	if (typeof presented !== 'string') {
		if (await commit(sql, exchange, null)) return
		// Somebody else was faster with the same code: one of the two stole it.
		const { AuthorizationCode, DeviceCode } = ctx.oidc?.entities ?? {}
		const grantId = (AuthorizationCode ?? DeviceCode)?.grantId
		if (grantId) await revokeGrant(grantId)
		refuse(ctx, 'the code was used already')
		return
	}
	if (!exchange.repeated && (await commit(sql, exchange, seal(ctx.body, presented)))) return
	const successor = exchange.repeated ?? (await successorOf(sql, presented))
	if (successor) ctx.body = open(successor, presented)
	else refuse(ctx, 'refresh token already used')
}

function refuse(ctx: TokenContext, description: string): void {
	ctx.status = 400
	ctx.body = { error: 'invalid_grant', error_description: description }
}

/** False: it was consumed before. */
async function commit(sql: Sql, { consumed, writes }: Exchange, successor: string | null): Promise<boolean> {
	const rows = await sql`
		with used as (
			update guard_oauth set consumed_at = now(), successor = ${successor}
			where model = ${consumed?.model ?? ''} and id = ${consumed?.id ?? ''} and consumed_at is null
			returning id
		)
		insert into guard_oauth (model, id, payload, grant_id, uid, expires_at)
		select r.model, r.id, r.payload, r.grant_id, r.uid, now() + r.expires_in * interval '1 second'
		from used, json_to_recordset(${JSON.stringify(writes)}::text::json)
			as r(model text, id text, payload json, grant_id text, uid text, expires_in float8)
		returning id`
	return rows.length > 0
}

async function successorOf(sql: Sql, presented: string): Promise<string | null> {
	const [row] = await sql<{ successor: string | null }[]>`
		select successor from guard_oauth
		where model = 'RefreshToken' and id = ${digest(presented)}
			and consumed_at > now() - ${repeatSeconds} * interval '1 second'`
	return row?.successor ?? null
}

function keyOf(token: string): Buffer {
	return Buffer.from(hkdfSync('sha256', token, '', 'refresh successor', 32))
}

function seal(answer: unknown, token: string): string {
	const iv = randomBytes(12)
	const cipher = createCipheriv('aes-256-gcm', keyOf(token), iv)
	const text = JSON.stringify({ answer, at: now() })
	return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString(
		'base64url',
	)
}

function open(sealed: string, token: string): unknown {
	const bytes = Buffer.from(sealed, 'base64url')
	const decipher = createDecipheriv('aes-256-gcm', keyOf(token), bytes.subarray(0, 12))
	decipher.setAuthTag(bytes.subarray(-16))
	const text = decipher.update(bytes.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8')
	const { answer, at } = JSON.parse(text) as { answer: { expires_in: number }; at: number }
	return { ...answer, expires_in: Math.max(1, answer.expires_in - epochTime(now() - at)) }
}
