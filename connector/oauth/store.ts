import type { Adapter, AdapterPayload } from 'oidc-provider'
import type { Secrets, Sql } from '../deps.ts'
import { normalUserCode } from './devices.ts'
import { currentExchange } from './exchange.ts'
import { unusedSeconds } from './registrations.ts'
import { digest, type NewRow, repeatSeconds, revokedChannel } from './rows.ts'

// The authorization server's storage: one table, one row an artefact. Identifiers are bearer secrets, so rows are found
// by their SHA-256 and payloads hold no copy; 256 random bits need no slow hash. Client secrets, which must be compared
// and shown again, are encrypted under the master key. Tokens that end are forgotten by this host at once; others hear of it.

interface Row {
	payload: AdapterPayload
	consumed: number | null
	successor: string | null
	/** Of a consumed row: within the time in which a repeat is not yet theft. */
	recent: boolean
}

export function openStore(
	sql: Sql,
	secrets: Secrets,
	forget: (what: string) => void,
): (model: string) => Adapter {
	return (model) => ({
		upsert: async (id, payload, expiresIn) => {
			const row = {
				model,
				id: digest(id),
				payload: await toStored(model, payload, secrets),
				grant_id: payload.grantId ?? null,
				uid: uidOf(model, payload),
				// A registration is kept once a person has authorized it.
				expires_in: expiresIn ?? (model === 'Client' ? unusedSeconds : null),
			}
			const exchange = currentExchange()
			if (exchange && (model === 'AccessToken' || model === 'RefreshToken')) exchange.writes.push(row)
			else await insertRows(sql, [row])
			if (model === 'Grant') await keepClient(sql, payload.clientId)
		},

		/** A device code that is over is found until it is swept: its program is told so. */
		find: async (id) => {
			const [row] = await sql<Row[]>`
				select payload, extract(epoch from consumed_at)::int as consumed, successor,
					coalesce(consumed_at > now() - ${repeatSeconds} * interval '1 second', false) as recent
				from guard_oauth
				where model = ${model} and id = ${digest(id)}
					and (expires_at is null or expires_at > now() or model = 'DeviceCode')`
			if (!row) return undefined
			const payload = await fromStored(model, id, row.payload, secrets)
			if (row.consumed === null) return payload
			const exchange = currentExchange()
			if (exchange && model === 'RefreshToken' && row.recent && row.successor) {
				exchange.repeated = row.successor
				return payload
			}
			return { ...payload, consumed: row.consumed }
		},

		findByUid: async (uid) => {
			const [row] = await sql<Pick<Row, 'payload'>[]>`
				select payload from guard_oauth where model = ${model} and uid = ${uid} and expires_at > now()`
			return row?.payload
		},

		/** Not asked for: `Devices` finds them by itself. */
		findByUserCode: async () => undefined,

		/** Contract: inside an exchange, which commits it together with what it buys. */
		consume: async (id) => {
			const exchange = currentExchange()
			if (!exchange) throw new Error(`${model} consumed outside a token exchange`)
			exchange.consumed = { model, id: digest(id) }
		},

		destroy: async (id) => {
			await sql`
				with gone as (delete from guard_oauth where model = ${model} and id = ${digest(id)} returning id)
				select pg_notify(${revokedChannel}, id) from gone where ${model} = 'AccessToken'`
			if (model === 'AccessToken') forget(digest(id))
		},

		revokeByGrantId: async (grantId) => {
			await sql`
				with gone as (delete from guard_oauth where model = ${model} and grant_id = ${grantId} returning id)
				select pg_notify(${revokedChannel}, ${grantId}) where ${model} = 'AccessToken'`
			if (model === 'AccessToken') forget(grantId)
		},
	})
}

/** What else a row is found by. */
function uidOf(model: string, { uid, userCode }: AdapterPayload): string | null {
	if (model === 'DeviceCode' && userCode) return digest(normalUserCode(userCode))
	return model === 'Session' ? (uid ?? null) : null
}

async function insertRows(sql: Sql, rows: NewRow[]): Promise<void> {
	await sql`
		insert into guard_oauth (model, id, payload, grant_id, uid, expires_at)
		select model, id, payload, grant_id, uid, now() + expires_in * interval '1 second'
		from json_to_recordset(${JSON.stringify(rows)}::text::json)
			as r(model text, id text, payload json, grant_id text, uid text, expires_in float8)
		on conflict (model, id) do update
			set payload = excluded.payload, grant_id = excluded.grant_id, uid = excluded.uid,
				expires_at = case when excluded.model = 'Client' then guard_oauth.expires_at else excluded.expires_at end`
}

async function keepClient(sql: Sql, clientId: string | undefined): Promise<void> {
	if (!clientId) return
	await sql`
		update guard_oauth set expires_at = null
		where model = 'Client' and id = ${digest(clientId)} and expires_at is not null`
}

async function toStored(model: string, payload: AdapterPayload, secrets: Secrets): Promise<AdapterPayload> {
	const { jti: _, ...stored } = payload
	if (model === 'Client' && stored.client_secret)
		return { ...stored, client_secret: await secrets.wrap(stored.client_secret as string) }
	// A sign-in under way names its session by `uid`; the cookie's own value stays out of the table.
	if (model === 'Interaction' && stored.session) {
		const { cookie: _, ...session } = stored.session as unknown as Record<string, unknown>
		return { ...stored, session: session as never }
	}
	return stored
}

async function fromStored(model: string, id: string, stored: AdapterPayload, secrets: Secrets) {
	if (model !== 'Client') return { ...stored, jti: id }
	if (!stored.client_secret) return stored
	return { ...stored, client_secret: await secrets.unwrap(stored.client_secret as string) }
}
