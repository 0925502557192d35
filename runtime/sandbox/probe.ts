/** Executes in a sandbox's place, as plain Node: tries what a sandbox must not be able to do, and says what came of it. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, readSync, writeFileSync, writeSync } from 'node:fs'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Attempts } from '../wire/layers.ts'
import { CHANNEL_FD, READY } from '../wire/sandbox.ts'

const CONNECT_MS = 300
const ANY_BYTES = 64
const BYTES_PER_MB = 1024 * 1024
/** The smallest bound that a process is given is 512 MB. */
const TOO_MANY_MB = 700

/** `done`, or the code of the error. */
function attempt(act: () => unknown): string {
	try {
		act()
		return 'done'
	} catch (error) {
		return (error as NodeJS.ErrnoException).code ?? 'failed'
	}
}

function executed(file: string, ...args: string[]): string {
	const { status, error } = spawnSync(file, args, { stdio: 'ignore' })
	if (error) return (error as NodeJS.ErrnoException).code ?? 'failed'
	return status === 0 ? 'done' : `exit code ${status}`
}

/** To an address that nobody has (RFC 5737): where there is a way out, no answer comes. */
function connects(): Promise<string> {
	return new Promise((resolve) => {
		const socket = connect({ host: '192.0.2.1', port: 9, timeout: CONNECT_MS })
		socket.once('connect', () => resolve('done'))
		socket.once('timeout', () => resolve('done'))
		socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'failed'))
	})
}

const attempts: Attempts = {
	readsEtc: attempt(() => readFileSync('/etc/passwd')),
	readsProc: attempt(() => readdirSync('/proc')),
	writes: attempt(() => writeFileSync('/berth-probe', '')),
	signals: attempt(() => process.kill(Number(process.argv[2]), 0)),
	becomesRoot: process.getuid?.() === 0 ? 'is' : attempt(() => process.setuid?.(0)),
	mounts: executed('umount', '/usr'),
	unshares: executed('unshare', '--user', 'true'),
	interfaces: attempt(() => {
		if (Object.keys(networkInterfaces()).length > 0) return
		throw Object.assign(new Error(), { code: 'none' })
	}),
	connects: await connects(),
}
writeSync(CHANNEL_FD, `${JSON.stringify([READY])}\n`)
// Any message asks for the answer, and another for more memory than is allowed.
readSync(CHANNEL_FD, Buffer.alloc(ANY_BYTES))
writeSync(CHANNEL_FD, `${JSON.stringify([attempts])}\n`)
const asked = readSync(CHANNEL_FD, Buffer.alloc(ANY_BYTES)) > 0
const held = Array.from({ length: asked ? TOO_MANY_MB : 0 }, () => Buffer.alloc(BYTES_PER_MB, 1))
process.exit(held.length > 0 ? 1 : 0)
