import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { createEgress } from '../../../../runtime/egress/index.ts'

const get = { method: 'GET' as const, headers: {}, headersMs: 400, idleBodyMs: 5_000, maxBytes: 1024 }

test('an answer that came while this process stood still is read, though its time is over by then', async () => {
	const server = spawn(process.execPath, ['-e', answersLater], { stdio: ['ignore', 'pipe', 'inherit'] })
	const [port] = await once(server.stdout, 'data')
	const egress = createEgress({ allow: ['127.0.0.1'] })
	const ask = (more: object) => egress.text(`http://127.0.0.1:${String(port).trim()}/`, { ...get, ...more })
	for (const whole of [false, true]) {
		const asked = ask(whole ? { headersMs: 5_000, signal: AbortSignal.timeout(400) } : {})
		// Sent before it stands still, answered meanwhile.
		await new Promise((resolve) => setTimeout(resolve, 50))
		for (const until = performance.now() + 600; performance.now() < until; );
		expect((await asked).text).toBe('at last')
	}
	await expect(ask({ headersMs: 50 })).rejects.toMatchObject({ code: 'egress_timeout' })
	await egress.close()
	server.kill()
})

const answersLater = `
	const server = require('node:http').createServer((_, response) => setTimeout(() => response.end('at last'), 200))
	server.listen(0, '127.0.0.1', () => console.log(server.address().port))`
