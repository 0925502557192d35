// What a sender has claimed of the alerts while the mail server is slow.
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccount } from '../../../../host/accounts/accounts.ts'
import { ensurePlans } from '../../../../host/accounts/index.ts'
import { openMails } from '../../../../host/alerts/mail.ts'
import { type Database, openDatabase } from '../../../../host/db/index.ts'
import { cloneTemplate, dropDatabase } from '../../../kit/host.ts'
import { type SmtpReceiver, startSmtp } from '../../../kit/smtp.ts'

let database: string
let opened: Database
let smtp: SmtpReceiver

beforeAll(async () => {
	database = await cloneTemplate()
	opened = await openDatabase({ DATA_DIR: '', DATABASE_URL: database }, pino({ level: 'silent' }), () => {})
	smtp = await startSmtp()
})
afterAll(async () => {
	await opened?.close()
	if (database) await dropDatabase(database)
	await smtp?.close()
})

// Proves: alert.mail-claim
test('while an e-mail is under way, those of other accounts are left to other hosts', async () => {
	const { sql } = opened
	const people = ['a', 'b', 'c']
	await ensurePlans(sql)
	for (const name of people) {
		const { id } = await createAccount(sql, { email: `${name}@example.com` })
		for (const n of [1, 2])
			await sql`insert into alerts (id, account_id, type, data, deployment_id)
				values (${`alr_${name}${n}`}, ${id}, 'agent.failing', '{"failed_runs":3}', ${`dep_${name}${n}`})`
	}
	const config = { SMTP_URL: smtp.url, ALERT_FROM: 'alerts@berth.example', BASE_URL: 'http://berth.example' }
	const log = pino({ level: 'silent' })
	const [one, two] = [openMails({ config, sql, log }), openMails({ config, sql, log })]
	const claimed = async () =>
		(await sql`select distinct account_id from alerts where mail_attempts > 0`).map(
			({ account_id }) => account_id,
		)
	let go = () => {}
	smtp.before = new Promise<void>((resolve) => (go = resolve))
	const first = one?.send()
	await expect.poll(async () => (await claimed()).length).toBe(1)
	expect(await claimed()).toHaveLength(1)
	const second = two?.send()
	await expect.poll(async () => (await claimed()).length).toBe(2)
	go()
	await Promise.all([first, second])
	expect(smtp.mails.map(({ to }) => to.join()).sort()).toEqual(people.map((name) => `${name}@example.com`))
	one?.close()
	two?.close()
})
