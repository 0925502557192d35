import { join } from 'node:path'
import { inject } from 'vitest'
import { type Balancer, startBalancer } from './balancer.ts'
import { type Cut, startCut } from './cut.ts'
import { cloneTemplate, dropDatabase, startHost, type TestHost } from './host.ts'

/** Three hosts on one database behind a balancer, whose address is theirs. */
export interface Fleet {
	balancer: Balancer
	/** The last reaches its database by `cut`. */
	hosts: [TestHost, TestHost, TestHost]
	cut: Cut
	/** Stops one in order, and starts it again. */
	renew(index: 0 | 1 | 2): Promise<void>
	close(): Promise<void>
}

export async function startFleet(env: Record<string, string> = {}): Promise<Fleet> {
	const database = await cloneTemplate()
	const balancer = await startBalancer()
	const cut = await startCut(join(inject('postgres'), '.s.PGSQL.5432'))
	const name = /\/([a-z0-9_]+)\?/.exec(database)?.[1] ?? ''
	const start = (url: string, more: Record<string, string> = {}) =>
		startHost({
			database: url,
			egressAllow: ['127.0.0.1'],
			env: { BASE_URL: balancer.url, HOST_LEASE_SECONDS: '1', ...env, ...more },
		})
	const first = await start(database)
	const key = { MASTER_KEY_FILE: join(first.dataDir, 'master.key') }
	const others = await Promise.all([
		start(database, key),
		start(`postgres://app@127.0.0.1:${cut.port}/${name}`, key),
	])
	const hosts: Fleet['hosts'] = [first, ...others]
	balancer.hosts.push(...hosts.map(({ url }) => url))
	return {
		balancer,
		hosts,
		cut,
		async renew(index) {
			await hosts[index].kill('SIGTERM')
			hosts[index] = await hosts[index].again()
		},
		async close() {
			cut.mend()
			await Promise.all(hosts.map((host) => host.close()))
			await Promise.all([balancer.close(), cut.close()])
			await dropDatabase(database)
		},
	}
}
