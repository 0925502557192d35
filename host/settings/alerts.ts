import { type Setting, setting } from './readers.ts'

function isDecodable(part: string): boolean {
	try {
		decodeURIComponent(part)
		return true
	} catch {
		return false
	}
}

export const alertSettings = {
	SMTP_URL: {
		...setting(
			'',
			'SMTP server that sends alerts, as in smtps://user:password@mail.example.com; unset: no e-mails',
			(value) => {
				if (value === '') return ''
				const url = URL.canParse(value) ? new URL(value) : null
				if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '')
					throw new Error(
						'must be smtp://host:port or smtps://host:port, with user:password@ where it asks for them',
					)
				if (url.search || url.hash || url.pathname.length > 1)
					throw new Error('must be a URL without path, query and fragment')
				if (url.username === '' && url.password !== '')
					throw new Error('has a password, and no user before it')
				if (!isDecodable(url.username) || !isDecodable(url.password))
					throw new Error('has a % that begins no percent-encoding in user or password: write % as %25')
				return value
			},
		),
		secret: true as const,
	},
	ALERT_FROM: setting(
		'',
		'Sender of alerts, as in alerts@example.com or Berth <alerts@example.com>',
		(value) => {
			if (value !== '' && !/^([^<>@,;:"\r\n]+ <[^<>@\s]+@[^<>@\s]+>|[^<>@\s,;]+@[^<>@\s,;]+)$/.test(value))
				throw new Error('must be an e-mail address, or a name with the address in angle brackets')
			return value
		},
	),
} satisfies Record<string, Setting<unknown>>

type AlertConfig = Partial<Record<keyof typeof alertSettings, string>>

export function alertFaults({ SMTP_URL, ALERT_FROM }: AlertConfig): string[] {
	if (SMTP_URL && ALERT_FROM === '')
		return ['ALERT_FROM: must be set with SMTP_URL: the address that alerts come from']
	if (ALERT_FROM && SMTP_URL === '')
		return ['SMTP_URL: must be set with ALERT_FROM: without a mail server no alert is sent']
	return []
}
