import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { BuiltBundle } from '../../bundles/index.ts'
import { type Client, createClient, seal } from '../../host/owner/client/index.ts'
import { HEAP } from '../../runtime/supervisor/spawn.ts'

/** As host/owner/cli/bin/berth.mjs sets them (test/architecture/pinned.test.ts). */
export const MALLOC = {
	MALLOC_ARENA_MAX: '2',
	MALLOC_TRIM_THRESHOLD_: '131072',
	MALLOC_MMAP_THRESHOLD_: '8192',
	MALLOC_MMAP_MAX_: '16384',
}
const at = (path: string) => resolve(fileURLToPath(new URL('../..', import.meta.url)), path)

export interface Program {
	child: ChildProcess
	pid: number
	/** Waits for the next line of its output that `pick` takes. */
	line<T>(pick: (line: string) => T | undefined): Promise<T>
	stop(): Promise<void>
}

/** `cpus`: it and all its children run on these alone, as `taskset` names them. */
export function program(
	file: string,
	args: string[],
	env: Record<string, string>,
	cpus?: string,
	flags: string[] = [],
): Program {
	const pinned = cpus === undefined ? [] : ['taskset', '-c', cpus]
	const [command = '', ...before] = [...pinned, process.execPath, ...flags]
	const child = spawn(command, [...before, at(file), ...args], {
		env: { PATH: process.env.PATH, NODE_NO_WARNINGS: '1', ...env },
		// The last pipe says nothing: a host ends when it closes, so that a bench that is killed leaves none behind.
		stdio: ['pipe', 'pipe', 'inherit', 'ipc'],
	})
	const exited = once(child, 'exit')
	const lines: string[] = []
	let heard = () => {}
	createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
		lines.push(line)
		heard()
	})
	return {
		child,
		pid: child.pid as number,
		line: (pick) =>
			new Promise((resolve, reject) => {
				heard = () => {
					for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
						const picked = pick(line)
						if (picked !== undefined) return resolve(picked)
					}
				}
				heard()
				exited.then(() => reject(new Error(`${file} ended before it answered`)))
			}),
		async stop() {
			if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
			await exited
		},
	}
}

export interface Berth {
	url: string
	host: Program
	dataDir: string
	/** Milliseconds from spawn to the listening log line. */
	startMs: number
	client: Client
	/** `by`: an account of its own. */
	deploy(name: string, bundle: BuiltBundle, by?: Client): Promise<Deployed>
	account(): Promise<{ client: Client; token: string }>
	/** Ends the host and starts it anew on the same data. */
	again(): Promise<Berth>
	close(): Promise<void>
}

export interface Deployed {
	id: string
	runUrl: string
	runKey: string
}

/**
 * The shipped host on its own embedded database, fsync on, as `berth serve` starts it. `checkout`: of another clone,
 * which has been built.
 */
export async function startBerth(
	env: Record<string, string>,
	dataDir?: string,
	checkout = '',
	cpus?: string,
): Promise<Berth> {
	const dir = dataDir ?? mkdtempSync(join(tmpdir(), 'berth-bench-'))
	const began = performance.now()
	const settings = { DATA_DIR: dir, PORT: '0', LOG_LEVEL: 'info', ...MALLOC, ...env }
	const cache = join(checkout, 'dist/compile-cache.mjs')
	const flags = existsSync(at(cache)) ? [...HEAP, '--import', at(cache)] : HEAP
	const host = program(join(checkout, 'dist/host.mjs'), [], settings, cpus, flags)
	const url = await host.line((line) =>
		line.includes('Berth is ready') ? /"listener":"(http:[^"]+)"/.exec(line)?.[1] : undefined,
	)
	const startMs = performance.now() - began
	const operator = readFileSync(join(dir, 'operator.token'), 'utf8').trim()
	const made = new Map<number, Promise<Client>>()
	let deployed = 0
	/** A plan holds 25 running agents at the most: every 25 deployments belong to another account. */
	const clientFor = (n: number) => {
		const index = Math.floor(n / 25)
		const client =
			made.get(index) ??
			account(url, operator, `bench${Date.now()}-${index}@example.com`).then((made) => made.client)
		made.set(index, client)
		return client
	}
	return {
		url,
		host,
		dataDir: dir,
		startMs,
		client: await clientFor(0),
		account: () => account(url, operator, `bench${Date.now()}@example.net`),
		async deploy(name, bundle, by) {
			const client = by ?? (await clientFor(deployed++))
			const created = await client.deployments.create({ ...bundle, name })
			for (const { name: credential, aud } of created.credentials) {
				const jwe = await seal(
					created.sealing_key,
					{ deployment: created.id, name: credential, aud },
					{ api_key: 'sk-bench' },
				)
				await put(`${created.url}/credentials/${credential}`, created.upload_token, { jwe })
			}
			const started = await client.deployments.start(created.id)
			if (!started.run_key) throw new Error('the first start gave no run key')
			return { id: created.id, runUrl: started.request.url, runKey: started.run_key }
		},
		async again() {
			await host.stop()
			return startBerth(env, dir, checkout, cpus)
		},
		async close() {
			await host.stop()
			rmSync(dir, { recursive: true, force: true })
		},
	}
}

async function account(
	url: string,
	operator: string,
	email: string,
): Promise<{ client: Client; token: string }> {
	const answer = await fetch(`${url}/v1/admin/accounts`, {
		method: 'POST',
		headers: { authorization: `Bearer ${operator}`, 'content-type': 'application/json' },
		body: JSON.stringify({ email, plan: 'team', token: true, tester: true }),
	})
	if (!answer.ok) throw new Error(`no account: ${answer.status} ${await answer.text()}`)
	const { token } = (await answer.json()) as { token: string }
	return { client: createClient({ baseUrl: url, token }), token }
}

async function put(url: string, token: string, body: unknown): Promise<void> {
	const answer = await fetch(url, {
		method: 'PUT',
		headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
		body: JSON.stringify(body),
	})
	if (!answer.ok) throw new Error(`PUT ${url}: ${answer.status} ${await answer.text()}`)
}
