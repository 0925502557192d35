/**
 * The guard of test/bench/guard.ts: the connector on Postgres with metered accounts and a judge that answers at once, so that
 * what is measured is the token check, the gate and the metering. Arguments: number of accounts, and `builtin` for the
 * built-in judge instead.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createJudge } from '../../connector/index.ts'
import { digest } from '../../connector/oauth/rows.ts'
import { openDatabase } from '../../host/db/index.ts'
import { charge } from '../../host/guard/platform.ts'
import { addAccount, addPlans, log, startGuard, testPlatform } from '../kit/guard.ts'

const accounts = Number(process.argv[2] ?? 1)
const judge = process.argv[3] === 'builtin' && (await createJudge({ backends: ['builtin'] }))
const dataDir = mkdtempSync(join(tmpdir(), 'guard-bench-'))
const database = await openDatabase({ DATABASE_URL: '', DATA_DIR: dataDir }, log, () => {})
await addPlans(database)
const guard = await startGuard(database, {
	// Charges are the product's own statement.
	platform: { ...testPlatform(database), charge: (charges) => charge(database.sql, charges) },
	...(judge && { judge }),
})
const tokens: string[] = []
for (let i = 0; i < accounts; i++) {
	const account = await addAccount(database)
	const token = randomBytes(32).toString('base64url')
	const payload = {
		accountId: account.id,
		clientId: 'bench',
		grantId: 'bench',
		scope: 'guard:screen',
		aud: `${guard.baseUrl}/mcp`,
	}
	await database.sql`
		insert into guard_oauth (model, id, payload, expires_at)
		values ('AccessToken', ${digest(token)}, ${JSON.stringify(payload)}::text::json, now() + interval '1 hour')`
	tokens.push(token)
}
console.log(JSON.stringify({ url: `${guard.baseUrl}/mcp`, tokens }))
process.on('SIGTERM', async () => {
	await guard.close()
	if (judge) await judge.close()
	await database.close()
	rmSync(dataDir, { recursive: true, force: true })
	process.exit(0)
})
