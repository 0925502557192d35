import { type Command, Option } from 'commander'
import { command, does } from '../command.ts'
import { type PageOptions, paged, tellList } from '../list.ts'
import { session } from '../session.ts'

export function alertsCommand(program: Command): void {
	paged(command(program, 'alerts', 'what your agents needed you for in the last 90 days, newest first'))
		.addOption(new Option('--email <switch>', 'whether you get them by e-mail').choices(['on', 'off']))
		.action(
			does<PageOptions & { email?: 'on' | 'off' }>(async (io, { limit, cursor, email }) => {
				if (email) {
					const { alert_mail, sends_mail } = await session(io).account.setAlertMail(email === 'on')
					if (alert_mail && !sends_mail)
						io.note('This host sends no e-mails: its operator has not set SMTP_URL.')
					return io.result({ alert_mail }, `Alerts by e-mail are ${email}.`)
				}
				tellList(io, await session(io).overview.alerts({ limit, cursor }), {
					none: 'No alerts.',
					head: ['AT', 'AGENT', 'ALERT', 'CLEARED', 'DETAILS'],
					row: ({ at, name, type, cleared_at, data }) => [
						at,
						name,
						type,
						cleared_at ?? '',
						Object.entries(data)
							.filter(([, value]) => typeof value !== 'object')
							.map(([key, value]) => `${key}=${value}`)
							.join(' '),
					],
				})
			}),
		)
}
