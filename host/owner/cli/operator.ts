import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ApiError, type Client } from '../client/index.ts'
import { CommandError } from './failure.ts'
import type { Io } from './io.ts'
import { clientOf, session, whereTo } from './session.ts'

/**
 * The account that is signed in, where it is an operator: the audit log then names it. Else the file of mode 0600 in the
 * host's DATA_DIR, on its own machine (spec account.local-operator). A token in BERTH_TOKEN is used alone.
 */
export async function operator(io: Io): Promise<Client> {
	const { url, token } = whereTo()
	const file = join(resolve(process.env.DATA_DIR || '.berth'), 'operator.token')
	const secret = localSecret(url, file)
	if (token === undefined) {
		if (secret !== undefined) return clientOf(io, url, secret)
		throw new CommandError(
			`not signed in at ${url}, and there is no ${file} of a host on this machine (DATA_DIR); run: berth login`,
		)
	}
	const signedIn = session(io)
	if (secret === undefined || process.env.BERTH_TOKEN) return signedIn
	if (await isOperator(signedIn)) return signedIn
	io.note(`The account that is signed in is no operator; ${file} is used.`)
	return clientOf(io, url, secret)
}

/** Also false where the sign-in is over. */
async function isOperator(client: Client): Promise<boolean> {
	try {
		return (await client.account.get()).operator === true
	} catch (error) {
		if (error instanceof ApiError && error.status === 401) return false
		throw error
	}
}

/** It is sent to this machine, or where both are named: a sign-in elsewhere must not be handed the token of a host here. */
function localSecret(url: string, file: string): string | undefined {
	const { BERTH_URL, DATA_DIR } = process.env
	if (!isLoopback(new URL(url).hostname) && !(BERTH_URL && DATA_DIR)) return undefined
	try {
		return readFileSync(file, 'utf8').trim()
	} catch {
		return undefined
	}
}

const isLoopback = (name: string) =>
	name === 'localhost' || name === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(name)

/** By e-mail or id. */
export async function accountId(client: Client, account: string): Promise<string> {
	if (!account.includes('@')) return account
	const found = (await client.admin.accounts({ email: account })).data[0]
	if (!found) throw new CommandError(`there is no account ${account}`)
	return found.id
}
