import { crc32 } from 'node:zlib'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccount } from '../../../../host/accounts/accounts.ts'
import { ensurePlans } from '../../../../host/accounts/plans.ts'
import { openSecrets, type Secrets } from '../../../../host/auth/secrets.ts'
import { forgetOldTokens, issueToken } from '../../../../host/auth/tokens.ts'
import { type Database, openDatabase } from '../../../../host/db/index.ts'
import { cloneTemplate, dropDatabase } from '../../../kit/host.ts'

const log = pino({ level: 'silent' })
let url = ''
let database: Database
let secrets: Secrets
let account = ''

beforeAll(async () => {
	url = await cloneTemplate()
	database = await openDatabase({ DATA_DIR: '', DATABASE_URL: url }, log, () => {})
	secrets = await openSecrets(database.sql, database.listen, log)
	await ensurePlans(database.sql)
	account = (await createAccount(database.sql, { email: 'a@example.com' })).id
})

afterAll(async () => {
	await secrets?.close()
	await database?.close()
	await dropDatabase(url)
})

const issue = () => issueToken({ sql: database.sql, secrets }, account, 'personal', 'x')

/** Another secret for the same id, with the right checksum. */
function forge(secret: string, turn: number): string {
	const [prefix, id] = secret.split('_')
	const body = `${prefix}_${id}_${String(turn).padStart(43, '0')}`
	const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
	let crc = ''
	for (let rest = crc32(body); rest > 0; rest = Math.floor(rest / 62)) crc = digits[rest % 62] + crc
	return `${body}_${crc.padStart(6, '0')}`
}

// Proves: account.secret-hashes
test('only an argon2id hash of a secret is stored', async () => {
	const { id, secret } = await issue()
	const [row] = await database.sql`select hash, t::text as all from tokens t where id = ${id}`
	expect(row?.hash).toMatch(/^\$argon2id\$/)
	expect(row?.all).not.toContain(secret.split('_')[2])
})

test('a verified secret is answered without waiting when it comes again', async () => {
	const { secret } = await issue()
	const first = secrets.verify(secret)
	expect(first).toBeInstanceOf(Promise)
	expect(await first).toMatchObject({ accountId: account, kind: 'personal' })
	expect(secrets.verify(secret)).toMatchObject({ accountId: account })
})

// Proves: account.secret-garbage
test('garbage is answered without waiting, and so without look-up or hashing', async () => {
	const { secret } = await issue()
	expect(secrets.verify('bpt_nonsense')).toBeNull()
	expect(secrets.verify(`${secret}x`)).toBeNull()
})

// Proves: account.secret-guessing
test('a wrong secret for a known id is refused unhashed after ten of them, and the right one still opens', async () => {
	const { secret } = await issue()
	await secrets.verify(secret)
	for (let turn = 0; turn < 10; turn++) expect(await secrets.verify(forge(secret, turn))).toBeNull()
	await expect(async () => secrets.verify(forge(secret, 10))).rejects.toMatchObject({ code: 'rate_limited' })
	expect(await secrets.verify(secret)).toMatchObject({ accountId: account })
})

test('all secrets of an account are forgotten at once when it changes', async () => {
	const [one, two] = [await issue(), await issue()]
	await Promise.all([secrets.verify(one.secret), secrets.verify(two.secret)])
	await secrets.forgetAccount(account)
	expect(secrets.verify(one.secret)).toBeInstanceOf(Promise)
	expect(secrets.verify(two.secret)).toBeInstanceOf(Promise)
})

test('sessions whose time is over are deleted, and tokens an owner may look up are kept', async () => {
	const past = new Date(Date.now() - 2 * 86_400_000)
	const services = { sql: database.sql, secrets }
	const session = await issueToken(services, account, 'session', 'x', past)
	const personal = await issueToken(services, account, 'personal', 'x', past)
	await forgetOldTokens(database.sql)
	const left = await database.sql`select id from tokens where id in (${session.id}, ${personal.id})`
	expect(left).toEqual([{ id: personal.id }])
})
