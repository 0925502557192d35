import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Client } from '../client/index.ts'
import { CommandError } from './failure.ts'
import type { Io } from './io.ts'
import { clientOf, session, whereTo } from './session.ts'

/** On the host's own machine the file of mode 0600 in its DATA_DIR opens the door before anybody has signed in. */
export function operator(io: Io): Client {
	const { url, token } = whereTo()
	if (token !== undefined) return session(io)
	const file = join(resolve(process.env.DATA_DIR || '.berth'), 'operator.token')
	try {
		return clientOf(io, url, readFileSync(file, 'utf8').trim())
	} catch {
		throw new CommandError(
			`not signed in at ${url}, and there is no ${file} of a host on this machine (DATA_DIR); run: berth login`,
		)
	}
}

/** By e-mail or id. */
export async function accountId(client: Client, account: string): Promise<string> {
	if (!account.includes('@')) return account
	const found = (await client.admin.accounts({ email: account })).data[0]
	if (!found) throw new CommandError(`there is no account ${account}`)
	return found.id
}
