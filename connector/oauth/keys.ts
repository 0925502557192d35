import { randomBytes } from 'node:crypto'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import type { ConnectorDeps } from '../deps.ts'

export interface Keys {
	/** Signs the authorization server's cookies and the forms' tokens. */
	cookie: string
	/** The server's own key; our tokens are opaque, so nothing is signed with it today. */
	signing: JWK
}

/** Made once for all hosts and kept encrypted under the master key. */
export async function openKeys({ sql, secrets }: ConnectorDeps): Promise<Keys> {
	const stored = async () => {
		const [row] = await sql<{ value: string }[]>`select value from guard_settings where name = 'keys'`
		return row?.value
	}
	let wrapped = await stored()
	if (wrapped === undefined) {
		const mine = await secrets.wrap(JSON.stringify(await makeKeys()))
		// Hosts that start at once: the first insert wins, all read it.
		await sql`
			insert into guard_settings (name, value) values ('keys', ${JSON.stringify(mine)}::text::json)
			on conflict do nothing`
		wrapped = (await stored()) as string
	}
	return JSON.parse(await secrets.unwrap(wrapped)) as Keys
}

async function makeKeys(): Promise<Keys> {
	const { privateKey } = await generateKeyPair('ES256', { extractable: true })
	return {
		cookie: randomBytes(32).toString('base64url'),
		signing: { ...(await exportJWK(privateKey)), use: 'sig' },
	}
}
