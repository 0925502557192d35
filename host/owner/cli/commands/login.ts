import { hostname } from 'node:os'
import type { Command } from 'commander'
import { beginSignIn, beginSignInByCode, type Grant } from '../../client/index.ts'
import { canOpenBrowser, signInByCode } from '../by-code.ts'
import { command, does } from '../command.ts'
import { CommandError, UsageError } from '../failure.ts'
import type { Io } from '../io.ts'
import { loginFile, writeLogin } from '../login-file.ts'
import { clientOf, hostAddress, whereTo } from '../session.ts'
import { requirePerson, signInBy } from '../sign-in.ts'

interface Options {
	url?: string
	token?: string
	browser: boolean
	device?: boolean
}

export function loginCommand(program: Command): void {
	command(program, 'login', 'sign in to a host')
		.option('--url <url>', 'address of the host')
		.option('--token <token>', 'a personal access token; - reads it from stdin')
		.option('--no-browser', 'only print the address to open, in a browser of this machine')
		.option('--device', 'show a code to enter in a browser of any machine; the default over SSH')
		.action(
			does<Options>(async (io, { url: wanted, token: given, browser, device }) => {
				const url = wanted === undefined ? whereTo().url : hostAddress('--url', wanted)
				if (given !== undefined && device) throw new UsageError('--token signs in without --device')
				const grant = given === undefined ? await signIn(io, url, browser, device) : undefined
				const token = grant?.token ?? (given === '-' ? await readStdin() : (given as string))
				const account = await clientOf(io, url, token).account.get()
				writeLogin({ url, token, ...(grant && { grant }) })
				io.result({ url, email: account.email, file: loginFile() }, `Signed in at ${url} as ${account.email}`)
			}),
		)
}

async function signIn(io: Io, url: string, browser: boolean, device = false): Promise<Grant> {
	const name = `Berth command line on ${hostname()}`
	if (!device)
		requirePerson(
			io,
			browser,
			'--token T (- reads stdin), --device for a code, or --no-browser to print the address',
		)
	if (device || (browser && !canOpenBrowser())) {
		const begun = await beginSignInByCode(url, name)
		if (begun) return signInByCode(io, begun)
		if (device) throw new CommandError(`${url} signs nobody in by a code; use --no-browser or --token`)
	}
	return signInBy(io, browser, (redirectUri) => beginSignIn(url, redirectUri, name))
}

export async function readStdin(): Promise<string> {
	let text = ''
	for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk
	return text.trim()
}
