import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

export interface Mail {
	from: string
	to: string[]
	/** Headers and body as they came, with the line breaks of encoded text taken out. */
	text: string
}

export interface SmtpReceiver {
	url: string
	port: number
	mails: Mail[]
	/** Passwords that came. */
	passwords: string[]
	/** What every mail gets while it is set: 451 for now, 554 for good. */
	refuses: 451 | 554 | null
	/** Awaited before a mail is answered. */
	before: Promise<void>
	close(): Promise<void>
}

/** A mail server of somebody's, on loopback and without TLS. */
export async function startSmtp(): Promise<SmtpReceiver> {
	const mails: Mail[] = []
	const passwords: string[] = []
	const receiver: Pick<SmtpReceiver, 'refuses' | 'before'> = { refuses: null, before: Promise.resolve() }
	const server = new SMTPServer({
		disabledCommands: ['STARTTLS'],
		authOptional: true,
		allowInsecureAuth: true,
		onAuth({ password }, _session, done) {
			passwords.push(password ?? '')
			done(null, { user: 'user' })
		},
		async onData(stream, { envelope }, done) {
			const bytes = await buffer(stream)
			await receiver.before
			const { refuses } = receiver
			if (refuses) return done(Object.assign(new Error('no'), { responseCode: refuses }))
			mails.push({
				from: envelope.mailFrom ? envelope.mailFrom.address : '',
				to: envelope.rcptTo.map(({ address }) => address),
				text: bytes
					.toString('utf8')
					.replaceAll('=\r\n', '')
					.replaceAll(/\r\n[ \t]/g, ' ')
					.replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
			})
			done()
		},
	})
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
	const { port } = server.server.address() as AddressInfo
	return Object.assign(receiver, {
		url: `smtp://127.0.0.1:${port}`,
		port,
		mails,
		passwords,
		close: () => new Promise<void>((resolve) => server.close(() => resolve())),
	})
}
