import { hostname } from 'node:os'
import type { Command } from 'commander'
import { beginSignIn } from '../../client/index.ts'
import { command, does } from '../command.ts'
import { UsageError } from '../failure.ts'
import { loginFile, writeLogin } from '../login-file.ts'
import { clientOf, whereTo } from '../session.ts'
import { requirePerson, signInBy } from '../sign-in.ts'

interface Options {
	url?: string
	token?: string
	browser: boolean
}

export function loginCommand(program: Command): void {
	command(program, 'login', 'sign in to a host')
		.option('--url <url>', 'address of the host')
		.option('--token <token>', 'a personal access token; - reads it from stdin')
		.option('--no-browser', 'only print the address to open')
		.action(
			does<Options>(async (io, { url: wanted, token: given, browser }) => {
				const url = (wanted ?? whereTo().url).replace(/\/+$/, '')
				if (!/^https?:\/\//.test(url)) throw new UsageError(`--url takes the address of a host, not "${url}"`)
				if (given === undefined)
					requirePerson(io, browser, '--token T (- reads stdin), or --no-browser to print the address')
				const grant =
					given === undefined
						? await signInBy(io, browser, (redirectUri) =>
								beginSignIn(url, redirectUri, `Berth command line on ${hostname()}`),
							)
						: undefined
				const token = grant?.token ?? (given === '-' ? await readStdin() : (given as string))
				const account = await clientOf(io, url, token).account.get()
				writeLogin({ url, token, ...(grant && { grant }) })
				io.result({ url, email: account.email, file: loginFile() }, `Signed in at ${url} as ${account.email}`)
			}),
		)
}

export async function readStdin(): Promise<string> {
	let text = ''
	for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk
	return text.trim()
}
