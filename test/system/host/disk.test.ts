// A disk that runs full: said beforehand, refused at once, read on, and gone on by itself.
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { watchDisk } from '../../../host/start/disk.ts'
import { bundleOf, create, deploy, run } from '../../kit/agent.ts'
import { startHost } from '../../kit/host.ts'

// Proves: start.disk-full
test('too little free space is refused as it comes and taken again as it goes', async () => {
	let free = 100
	const disk = await watchDisk({
		dir: '/',
		minFreeMb: 50,
		log: pino({ level: 'silent' }),
		freeMb: async () => free,
		everyMs: 5,
	})
	expect(disk.refusal()).toBeNull()
	free = 49
	await expect.poll(() => disk.refusal()).toMatchObject({ status: 503, code: 'overloaded' })
	expect(disk.refusal()?.message).toContain('49 MB free, under DISK_MIN_FREE_MB=50')
	free = 50
	await expect.poll(() => disk.refusal()).toBeNull()
	disk.stop()
})

// Proves: observe.ready, start.disk-full
test('a host with too little free space says so, stores nothing new, and reads on', async () => {
	const first = await startHost({ database: 'embedded' })
	const account = await first.account({ plan: 'team' })
	const files = { 'agent.ts': 'export default async () => "done"\n' }
	const agent = await deploy(first, account, await bundleOf({ files }))
	const { id } = (await run(first, agent)).body
	await first.kill('SIGTERM')
	const host = await startHost({
		database: 'embedded',
		dataDir: first.dataDir,
		env: { DISK_MIN_FREE_MB: '1000000000' },
	})
	try {
		expect(host.logs().join('\n')).toMatch(/MB free, under DISK_MIN_FREE_MB=1000000000/)
		const ready = await host.call('/readyz')
		expect(ready.status).toBe(503)
		expect(ready.body.detail).toContain('DISK_MIN_FREE_MB')
		const here = { ...agent, url: new URL(agent.url).pathname }
		const refused = [
			await run(host, here),
			await create(host, account, await bundleOf({}), 'new'),
			await host.call('/register', { json: {} }),
			await host.call('/mcp', { json: {} }),
		]
		for (const { status, headers, body } of refused) {
			expect({ status, code: (body as { code?: string }).code, after: headers.get('retry-after') }).toEqual({
				status: 503,
				code: 'overloaded',
				after: '30',
			})
		}
		const refusals = host.logs().filter((line) => line.includes('request failed'))
		expect(refusals.length).toBeGreaterThanOrEqual(2)
		for (const line of refusals) {
			expect(line).toMatch(/"code":"overloaded","reason":".*he disk of DATA_DIR has \d+ MB free/)
			expect(line).not.toContain('stack')
			expect(line.match(/"req_\w+"/g)).toHaveLength(1)
			expect(line).toContain('"request_id":"req_')
		}
		const read = await host.call(`${here.url}/runs/${id}`, { token: agent.run_key })
		expect(read).toMatchObject({ status: 200, body: { status: 'succeeded' } })
		const gone = await host.call(`/v1/deployments/${agent.id}`, { method: 'DELETE', token: account.token })
		expect(gone.status).toBeLessThan(300)
	} finally {
		await host.close()
		await first.close()
	}
})
