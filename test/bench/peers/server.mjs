/** A peer's server: a process beside the adapter's, ended with it. */
import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const PATIENCE_MS = 60_000
const PAUSE_MS = 100

/** Its process id, when `answers` resolves. `env` is its whole environment. */
export async function startServer(file, args, { cwd, env = {} }, answers) {
	const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] })
	process.on('exit', () => child.kill('SIGKILL'))
	let said = ''
	child.stderr.on('data', (data) => {
		said = (said + data).slice(-1000)
	})
	for (const end = Date.now() + PATIENCE_MS; ; ) {
		try {
			await answers()
			return child.pid
		} catch (error) {
			if (Date.now() > end || child.exitCode !== null) throw new Error(`${error.message}: ${said}`)
			await sleep(PAUSE_MS)
		}
	}
}

/** Throws where it is not 2xx. */
export async function post(url, body) {
	const options = { method: 'POST', headers: { 'content-type': 'application/json' } }
	const signal = AbortSignal.timeout(10_000)
	const answer = await fetch(url, { ...options, body: JSON.stringify(body), signal })
	if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
}

export async function freePort() {
	const server = createServer().listen(0, '127.0.0.1')
	await new Promise((resolve) => server.once('listening', resolve))
	const { port } = server.address()
	await new Promise((resolve) => server.close(resolve))
	return port
}
