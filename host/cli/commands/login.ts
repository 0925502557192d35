import type { Command } from 'commander'
import { command, does } from '../command.ts'
import { UsageError } from '../failure.ts'
import { loginFile, writeLogin } from '../login-file.ts'
import { clientOf, whereTo } from '../session.ts'

export function loginCommand(program: Command): void {
	command(program, 'login', 'sign in to a host')
		.option('--url <url>', 'address of the host')
		.option('--token <token>', 'a personal access token; - reads it from stdin')
		.action(
			does<{ url?: string; token?: string }>(async (io, options) => {
				const url = (options.url ?? whereTo().url).replace(/\/+$/, '')
				if (!/^https?:\/\//.test(url)) throw new UsageError(`--url takes the address of a host, not "${url}"`)
				const token = options.token === '-' ? await readStdin() : options.token
				const given = token ?? (io.interactive ? await io.askSecret('Personal access token') : undefined)
				if (!given)
					throw new UsageError('give a personal access token: --token T, or --token - to read it from stdin')
				const account = await clientOf(io, url, given).account.get()
				writeLogin({ url, token: given })
				io.result({ url, email: account.email, file: loginFile() }, `Signed in at ${url} as ${account.email}`)
			}),
		)
}

export async function readStdin(): Promise<string> {
	let text = ''
	for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk
	return text.trim()
}
