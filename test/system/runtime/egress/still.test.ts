import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createEgress } from '../../../../runtime/egress/index.ts'

const limitMs = 1_000
const get = { method: 'GET' as const, headers: {}, idleBodyMs: 5_000, maxBytes: 1024 }

test('an answer that came while this process stood still is read, though its time is over by then', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'berth-still-'))
	const server = spawn(process.execPath, ['-e', answersWhenAllowed, folder], {
		stdio: ['ignore', 'pipe', 'inherit'],
	})
	const egress = createEgress({ allow: ['127.0.0.1'] })
	onTestFinished(async () => {
		server.kill()
		await egress.close()
		rmSync(folder, { recursive: true })
	})
	const [port] = await once(server.stdout, 'data')
	const ask = (path: string, more: { headersMs: number; signal?: AbortSignal }) =>
		egress.text(`http://127.0.0.1:${String(port).trim()}/${path}`, { ...get, ...more })
	for (const whole of [false, true]) {
		const name = `one-${whole}`
		const file = (what: string) => join(folder, `${name}.${what}`)
		const since = performance.now()
		const asked = ask(
			name,
			whole ? { headersMs: 60_000, signal: AbortSignal.timeout(limitMs) } : { headersMs: limitMs },
		)
		// Sent before it stands still, answered meanwhile.
		await expect.poll(() => existsSync(file('asked'))).toBe(true)
		writeFileSync(file('allowed'), '')
		const still = new Int32Array(new SharedArrayBuffer(4))
		while (!existsSync(file('answered')) || performance.now() - since < limitMs + 50)
			Atomics.wait(still, 0, 0, 20)
		expect((await asked).text).toBe('at last')
	}
	await expect(ask('never', { headersMs: 50 })).rejects.toMatchObject({ code: 'egress_timeout' })
})

/** A program of its own, since this process stands still; files tell each what the other did. */
const answersWhenAllowed = `
	const { existsSync, writeFileSync } = require('node:fs')
	const folder = process.argv[1]
	const server = require('node:http').createServer((request, response) => {
		const name = folder + request.url
		writeFileSync(name + '.asked', '')
		response.on('finish', () => writeFileSync(name + '.answered', ''))
		const timer = setInterval(() => {
			if (!existsSync(name + '.allowed')) return
			clearInterval(timer)
			response.end('at last')
		}, 10)
		response.on('close', () => clearInterval(timer))
	})
	server.listen(0, '127.0.0.1', () => console.log(server.address().port))`
