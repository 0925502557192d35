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
	if (process.env.BERTH_TOKEN) return byToken(session(io))
	const signedIn = token === undefined ? undefined : session(io)
	const standing = signedIn ? await standingOf(signedIn, url) : `not signed in at ${url}`
	if (signedIn && standing === undefined) return signedIn
	const file = join(resolve(process.env.DATA_DIR || '.berth'), 'operator.token')
	const { secret, why } = localSecret(url, file)
	if (secret === undefined)
		throw new CommandError(
			`${standing}, and ${why}; sign in as an operator (berth login --url ${url}), or run this on the host's own machine with its DATA_DIR and BERTH_URL`,
		)
	if (signedIn) io.note(`${standing}; ${file} is used`)
	const local = clientOf(io, url, secret)
	await requireTaken(local, url, file)
	return local
}

/** That of DATA_DIR is no account's: requests say what is wrong with it. */
async function byToken(client: Client): Promise<Client> {
	const { operator: is, email } = await client.account.get().catch(() => ({ operator: true, email: '' }))
	if (is === true) return client
	throw new CommandError(
		`BERTH_TOKEN is of ${email}, which is no operator; unset it to use the sign-in of this machine, or the token of a host here`,
	)
}

/** Undefined of an operator; else why the sign-in does not do. */
async function standingOf(client: Client, url: string): Promise<string | undefined> {
	try {
		const { operator: is, email } = await client.account.get()
		return is === true ? undefined : `${email}, which is signed in at ${url}, is no operator`
	} catch (error) {
		if (error instanceof ApiError && error.status === 401) return `the sign-in at ${url} is over`
		throw error
	}
}

/** Asked before anything is done: each request would only say that the token is not valid. */
async function requireTaken(local: Client, url: string, file: string): Promise<void> {
	try {
		await local.admin.plans()
	} catch (error) {
		if (!(error instanceof ApiError)) throw error
		if (error.code === 'unreachable' && !process.env.BERTH_URL)
			throw new CommandError(
				`${error.message}, and BERTH_URL is not set; set it to the address of the host that has ${file}`,
			)
		if (error.status !== 401) throw error
		throw new CommandError(
			`the host at ${url} does not take the token in ${file}: it is another host's. Set DATA_DIR and BERTH_URL to those of one host, or sign in as an operator (berth login --url ${url})`,
		)
	}
}

type Local = { secret: string; why?: undefined } | { secret?: undefined; why: string }

/** It is sent to this machine, or where both are named: a sign-in elsewhere must not be handed the token of a host here. */
function localSecret(url: string, file: string): Local {
	const { BERTH_URL, DATA_DIR } = process.env
	if (!isLoopback(new URL(url).hostname) && !(BERTH_URL && DATA_DIR)) {
		const unset = DATA_DIR ? 'BERTH_URL' : 'DATA_DIR'
		return { why: `${url} is not this machine and ${unset} is not set, so no local token is sent there` }
	}
	try {
		return { secret: readFileSync(file, 'utf8').trim() }
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException
		return { why: code === 'ENOENT' ? `there is no ${file}` : `${file} cannot be read (${code})` }
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
