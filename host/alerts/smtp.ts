import { createTransport } from 'nodemailer'
import type { Config } from '../settings/config.ts'
import type { Mail } from './texts.ts'

// The only file that loads nodemailer. It is imported for the first e-mail of a host that has SMTP_URL.

const connectMs = 10_000
const silentMs = 20_000
/** Of one e-mail, all its steps together: less than it is claimed for. */
const mailMs = 100_000

export function smtpClient({ SMTP_URL, ALERT_FROM }: Pick<Config, 'SMTP_URL' | 'ALERT_FROM'>) {
	const url = new URL(SMTP_URL)
	const secure = url.protocol === 'smtps:'
	const auth = url.username !== '' && {
		auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
	}
	const transport = createTransport({
		host: url.hostname.replace(/^\[|\]$/g, ''),
		port: Number(url.port) || (secure ? 465 : 587),
		secure,
		// A password never goes over a connection that anybody can read.
		requireTLS: auth !== false,
		...auth,
		connectionTimeout: connectMs,
		greetingTimeout: connectMs,
		socketTimeout: silentMs,
		disableFileAccess: true,
		disableUrlAccess: true,
	})
	const stop = new AbortController()
	return {
		async send(to: string[], { id, subject, text }: Mail): Promise<void> {
			const domain = ALERT_FROM.replace(/^.*@|>$/g, '')
			await transport.sendMail({
				from: ALERT_FROM,
				to,
				subject,
				text,
				// The same when it is sent again, so that readers show one.
				messageId: `<${id}@${domain}>`,
				headers: { 'auto-submitted': 'auto-generated' },
				signal: AbortSignal.any([stop.signal, AbortSignal.timeout(mailMs)]),
			})
		},
		/** Ends what is under way: a silent server holds up no stop. */
		close() {
			stop.abort()
			transport.close()
		},
	}
}
