import type { FastifyBaseLogger } from 'fastify'
import type { Sql } from '../db/index.ts'
import type { Config } from '../settings/config.ts'
import { mailOf, type Told } from './texts.ts'

export interface Mails {
	send(): Promise<void>
	close(): void
}

interface MailParts {
	config: Pick<Config, 'ALERT_FROM' | 'BASE_URL' | 'SMTP_URL'>
	sql: Sql
	log: FastifyBaseLogger
}

const atOnce = 50
/** Longer than one e-mail takes (smtp.ts): one whose sender died is sent again by another. */
const leaseSeconds = 120
/** A host that gets SMTP_URL does not begin with what is long over. */
const freshHours = 24

interface Due extends Told {
	account_id: string | null
	/** Where it goes; none: its owner wants no e-mails, or has no address that takes any. */
	addresses: string[]
}

/** Of nodemailer. */
interface SmtpError {
	name: string
	code?: string
	command?: string
	responseCode?: number
}

/** Null where no SMTP server is set: nothing is asked for, and nothing is loaded. */
export function openMails({ config, sql, log }: MailParts): Mails | null {
	if (config.SMTP_URL === '') return null
	let smtp: Promise<Awaited<ReturnType<typeof connect>>> | undefined
	let closed = false
	const connect = async () => (await import('./smtp.ts')).smtpClient(config)
	const server = new URL(config.SMTP_URL).host
	/** What the server said may hold an address, so its numbers are all that is logged. */
	const put = async (alerts: string[], { name, code, command, responseCode }: SmtpError) => {
		const about = { alerts, server, code: code ?? name, status: responseCode }
		// RFC 5321: 5xx is for good. In an earlier step it is about this host's settings, which may be mended.
		if ((responseCode ?? 0) >= 500 && (command === 'RCPT TO' || command === 'DATA')) {
			log.warn(about, 'an alert was refused by the mail server; it is not sent again')
			await sql`update alerts set mail_at = null where id = any(${alerts})`
			return
		}
		log.warn(about, 'an alert was not sent by e-mail; it is tried again')
		await sql`
			update alerts set mail_at = now() + make_interval(secs => least(30 * 4 ^ (mail_attempts - 1), 14400))
			where id = any(${alerts})`
	}
	return {
		async send() {
			while (!closed) {
				const told = await claim(sql)
				if (told[0] === undefined) return
				const { addresses } = told[0]
				const ids = told.map(({ id }) => id)
				try {
					smtp ??= connect()
					if (addresses.length > 0) await (await smtp).send(addresses, mailOf(told, config.BASE_URL))
					await sql`update alerts set mail_at = null where id = any(${ids})`
				} catch (error) {
					await put(ids, error as SmtpError)
				}
			}
		},
		close: () => {
			closed = true
			void smtp?.then((client) => client.close())
		},
	}
}

/** Of one account, which is one e-mail. */
async function claim(sql: Sql): Promise<Due[]> {
	return sql<Due[]>`
		with due as (
			select id from alerts
			where mail_at <= now() and at > now() - make_interval(hours => ${freshHours}) and account_id is not distinct from (
				select account_id from alerts where mail_at <= now() and at > now() - make_interval(hours => ${freshHours})
				order by mail_at limit 1)
			order by mail_at limit ${atOnce} for update skip locked
		), taken as (
			update alerts a set mail_at = now() + make_interval(secs => ${leaseSeconds}), mail_attempts = mail_attempts + 1
			from due where a.id = due.id returning a.*
		)
		select t.id, t.account_id, t.type, t.data, t.deployment_id, d.name, array(
			select c.email from accounts c
			where c.alert_mail and c.disabled_at is null and c.email not like '%@localhost'
				and (c.id = t.account_id or t.account_id is null and c.operator)
		) as addresses
		from taken t left join deployments d on d.id = t.deployment_id order by t.id`
}
