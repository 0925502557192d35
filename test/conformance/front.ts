import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../host/db/index.ts'
import { addAccount, addPlans, log, startGuard } from '../kit/guard.ts'
import { tokensFor } from '../kit/oauth-clients.ts'

/** The suite does not sign in: this front adds an access token and hands on all else as it came, `Host` and `Origin` too. */
export async function startGuardFront(): Promise<{ url: string; close(): Promise<void> }> {
	const dataDir = mkdtempSync(join(tmpdir(), 'conformance-'))
	const database = await openDatabase({ DATABASE_URL: '', DATA_DIR: dataDir }, log, () => {})
	await addPlans(database)
	const guard = await startGuard(database)
	const person = await addAccount(database, { tester: true })
	const { access_token } = await tokensFor(guard.baseUrl, person)
	const front = createServer((asked, answer) => {
		const headers = { ...asked.headers, authorization: `Bearer ${access_token}` }
		const sent = request(guard.baseUrl + asked.url, { method: asked.method, headers }, (got) => {
			answer.writeHead(got.statusCode ?? 502, got.headers)
			got.pipe(answer)
		})
		sent.on('error', () => answer.destroy())
		answer.on('close', () => sent.destroy())
		asked.pipe(sent)
	}).listen(0, '127.0.0.1')
	await once(front, 'listening')
	return {
		url: `http://127.0.0.1:${(front.address() as AddressInfo).port}/mcp`,
		close: async () => {
			front.close()
			front.closeAllConnections()
			await guard.close()
			await database.close()
			rmSync(dataDir, { recursive: true, force: true })
		},
	}
}
