import type Provider from 'oidc-provider'
import type { Sql } from '../deps.ts'
import type { Program } from '../platform.ts'
import { epochTime } from './clock.ts'
import { digest } from './rows.ts'
import { accountScope, guardScopes, scopeMeaning } from './scopes.ts'

/** What asks to be signed in by a user code. All of it is its own word, but for the address and the time. */
export interface DeviceRequest {
	clientName: string
	/** As a person reads it. */
	userCode: string
	address: string
	askedAt: Date
	/** What it may do, in words. */
	asks: string[]
}

export interface Devices {
	/** Null: no code waits for a decision by this name. */
	find(typed: string): Promise<DeviceRequest | null>
	/** Null: it was decided, or its time was over. Each code is decided once. `program`: what was let in. */
	decide(typed: string, accountId: string, allow: boolean): Promise<{ program: Program | null } | null>
}

interface Waiting {
	id: string
	payload: {
		clientId: string
		iat: number
		params?: { resource?: string | string[]; scope?: string }
		deviceInfo?: { ip?: string }
	}
}

export function openDevices(provider: () => Promise<Provider>, sql: Sql): Devices {
	/** Two requests that were given one code are both none: nobody can say which one is meant. */
	async function waiting(typed: string): Promise<Waiting | null> {
		const rows = await sql<Waiting[]>`
			select id, payload from guard_oauth
			where model = 'DeviceCode' and uid = ${digest(normalUserCode(typed))} and expires_at > now()
				and payload->>'accountId' is null and payload->>'error' is null`
		return rows.length === 1 ? (rows[0] as Waiting) : null
	}

	/** True: nobody was before us. */
	async function settle(id: string, decision: Record<string, unknown>): Promise<boolean> {
		const settled = await sql`
			update guard_oauth set payload = (payload::jsonb || ${JSON.stringify(decision)}::text::jsonb)::json
			where model = 'DeviceCode' and id = ${id} and expires_at > now() and consumed_at is null
				and payload->>'accountId' is null and payload->>'error' is null
			returning id`
		return settled.length > 0
	}

	return {
		find: async (typed) => {
			const found = await waiting(typed)
			const client = found && (await (await provider()).Client.find(found.payload.clientId))
			if (!client) return null
			const { iat, deviceInfo } = found.payload
			return {
				clientName: client.clientName ?? client.clientId,
				userCode: shownUserCode(typed),
				address: deviceInfo?.ip ?? '',
				askedAt: new Date(iat * 1000),
				asks: asked(found).scopes.map((scope) => scopeMeaning[scope] ?? scope),
			}
		},
		decide: async (typed, accountId, allow) => {
			const found = await waiting(typed)
			if (!found) return null
			if (!allow) {
				const refusal = { error: 'access_denied', errorDescription: 'the person did not allow it' }
				return (await settle(found.id, refusal)) ? { program: null } : null
			}
			const { resource, scopes } = asked(found)
			const { Client, Grant } = await provider()
			const { clientId } = found.payload
			const grant = new Grant({ accountId, clientId })
			const scope = scopes.join(' ')
			grant.addResourceScope(resource, scope)
			const grantId = await grant.save()
			const settled = await settle(found.id, { accountId, grantId, resource, scope, authTime: epochTime() })
			if (!settled) await grant.destroy()
			if (!settled) return null
			const name = (await Client.find(clientId))?.clientName ?? clientId
			return { program: { grant: digest(grantId), name, clientId, resource, scopes: scope } }
		},
	}
}

/** As `deviceForm` left it: one resource, and scopes of it. */
function asked({ payload: { params = {} } }: Waiting): { resource: string; scopes: string[] } {
	const scopes = (params.scope ?? '').split(' ')
	const known = [...guardScopes, accountScope].filter((scope) => scopes.includes(scope))
	return { resource: [params.resource ?? ''].flat()[0] ?? '', scopes: known }
}

export function normalUserCode(typed: string): string {
	return typed.toUpperCase().replace(/[^A-Z]/g, '')
}

const shownUserCode = (typed: string) => normalUserCode(typed).replace(/^(.{4})(.+)$/, '$1-$2')
