import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../../host/lib/free-port.ts'

async function taken(): Promise<number> {
	const server = createServer().listen(0, '127.0.0.1')
	onTestFinished(() => void server.close())
	await once(server, 'listening')
	return (server.address() as AddressInfo).port
}

test('a free port is none that fetch refuses or an outgoing connection is given meanwhile', async () => {
	const ports = await Promise.all(Array.from({ length: 20 }, () => freePort()))
	expect(ports.filter((port) => port <= 10_080 || port > 32_767)).toEqual([])
})

test('the wanted port where it is free, else another', async () => {
	const busy = await taken()
	const port = await freePort({ wanted: busy })
	expect(port).not.toBe(busy)
	expect(await freePort({ wanted: port })).toBe(port)
})

test('an address that is not of this machine is told', async () => {
	await expect(freePort({ address: '192.0.2.1' })).rejects.toMatchObject({ code: 'EADDRNOTAVAIL' })
})
