import type { Command } from 'commander'
import { endSignIn } from '../../client/index.ts'
import { command, does } from '../command.ts'
import { dropLogin, readLogin } from '../login-file.ts'

export function logoutCommand(program: Command): void {
	command(program, 'logout', 'forget the sign-in of this machine, and end it at the host').action(
		does(async (io) => {
			const stored = readLogin()
			if (!stored) return io.result({ signed_out: false }, 'You were not signed in.')
			const { url, grant } = stored
			// What this machine holds goes first: a host that does not answer keeps nobody signed in here.
			dropLogin()
			const ended = grant !== undefined && (await endSignIn(url, grant).catch(() => false))
			if (!grant) io.note('The token itself still works; revoke it with a sign-in: berth tokens revoke ID')
			else if (!ended) io.note(`${url} could not be told; the sign-in ends there when it is not renewed.`)
			if (process.env.BERTH_TOKEN) io.note('BERTH_TOKEN is set and still signs you in.')
			io.result({ signed_out: true, url, ended }, `Signed out of ${url}`)
		}),
	)
}
