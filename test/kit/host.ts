import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import postgres from 'postgres'
import { inject } from 'vitest'
import { HEAP } from '../../runtime/supervisor/spawn.ts'

const built = fileURLToPath(new URL('../../dist/host.mjs', import.meta.url))
const readyMs = 120_000
const exitMs = 45_000
/** What a host logs of an answer that its OpenAPI document does not list. */
export const unlistedAnswer = 'which its OpenAPI operation does not list'

export interface HostOptions {
	/** `shared`: a database of its own on this run's server. `embedded`: the host's own default. Or a DATABASE_URL. */
	database?: 'shared' | 'embedded' | (string & {})
	egressAllow?: string[]
	env?: Record<string, string>
	/** To share or to keep one; by default its own, removed afterwards. */
	dataDir?: string
	port?: number
	/** Options of Node, behind its own. */
	node?: string[]
	/** In place of the shipped one. */
	program?: string
}

export interface Answer<T = Record<string, never>> {
	status: number
	headers: Headers
	/** Parsed where it is JSON, else the text. */
	body: T
	text: string
}

export interface Call {
	method?: string
	token?: string
	json?: unknown
	headers?: Record<string, string>
	body?: BodyInit
}

export interface TestAccount {
	id: string
	email: string
	token: string
}

export interface TestHost {
	url: string
	dataDir: string
	databaseUrl: string | undefined
	/** Of the local operator, from DATA_DIR. */
	operator: string
	pid: number
	/** `path` may be a whole URL. Never throws for a status. */
	call<T = Record<string, unknown>>(path: string, call?: Call): Promise<Answer<T>>
	account(wanted?: {
		email?: string
		plan?: string
		tester?: boolean
		operator?: boolean
		password?: string
	}): Promise<TestAccount>
	/** What it has written, one line an element. */
	logs(): string[]
	/** Processes below it, with itself. */
	processes(): number[]
	/** Sends the signal and waits for the end. Rejects where it gave an answer that its OpenAPI document does not list. */
	kill(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>
	/** Ends it in order, if it runs, and fails where a process of it is left. Idempotent. */
	close(): Promise<void>
	/** The same host again, after `kill`: same data, same port. */
	again(): Promise<TestHost>
}

/** Starts the shipped host, hands it over, and ends it whatever happens. */
export async function withHost<T>(options: HostOptions, use: (host: TestHost) => Promise<T>): Promise<T> {
	const host = await startHost(options)
	try {
		return await use(host)
	} catch (error) {
		process.stderr.write(`${host.logs().slice(-40).join('\n')}\n`)
		throw error
	} finally {
		await host.close()
	}
}

/** For tests that need several; the caller closes it. Rejects with what a host that does not start has said. */
export async function startHost(options: HostOptions = {}): Promise<TestHost> {
	const { database = 'shared' } = options
	const ownDir = options.dataDir === undefined
	const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'berth-host-'))
	const databaseUrl =
		database === 'embedded' ? undefined : database === 'shared' ? await cloneTemplate() : database
	const cleanUp = async () => {
		if (ownDir) rmSync(dataDir, { recursive: true, force: true })
		if (database === 'shared' && databaseUrl) await dropDatabase(databaseUrl)
	}
	try {
		const start = () => launch({ ...options, dataDir }, databaseUrl, cleanUp)
		return await start().catch((error: Error) => {
			// Two hosts that start at once may have chosen the same free port.
			if (options.port === undefined && error.message.includes('EADDRINUSE')) return start()
			throw error
		})
	} catch (error) {
		await cleanUp()
		throw error
	}
}

async function launch(
	options: HostOptions & { dataDir: string },
	databaseUrl: string | undefined,
	cleanUp: () => Promise<void>,
): Promise<TestHost> {
	const { dataDir } = options
	const child = spawn(process.execPath, [...HEAP, ...(options.node ?? []), options.program ?? built], {
		env: {
			PATH: process.env.PATH,
			NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
			PORT: String(options.port ?? 0),
			DATA_DIR: dataDir,
			SHUTDOWN_SECONDS: '2',
			STOP_GRACE_SECONDS: '5',
			WARM_SPARES: '0',
			...(databaseUrl && { DATABASE_URL: databaseUrl }),
			...(options.egressAllow && { EGRESS_ALLOW: options.egressAllow.join(',') }),
			...options.env,
		},
		// The last pipe says nothing: a host ends when it closes, so that tests that are interrupted or killed leave none behind.
		stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
	})
	const lines: string[] = []
	const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
	collect(child, lines)
	const url = await waitForAddress(lines, exited)
	const pid = child.pid as number
	const operator = readFileSync(join(dataDir, 'operator.token'), 'utf8').trim()
	const seen = new Map<number, string>()
	const note = () => {
		for (const one of descendants(pid)) seen.set(one, startTime(one))
	}
	const kill: TestHost['kill'] = async (signal = 'SIGKILL') => {
		note()
		child.kill(signal)
		const late = new AbortController()
		const end = await Promise.race([exited, delay(exitMs, null, { signal: late.signal }).catch(() => null)])
		late.abort()
		if (!end) {
			child.kill('SIGKILL')
			throw new Error(`the host did not end within ${exitMs} ms of ${signal}\n${lines.slice(-20).join('\n')}`)
		}
		const unlisted = lines.filter((line) => line.includes(unlistedAnswer))
		if (unlisted.length > 0) throw new Error(unlisted.join('\n'))
		return { code: end[0], signal: end[1] }
	}
	const host: TestHost = {
		url,
		dataDir,
		databaseUrl,
		operator,
		pid,
		call: (path, call) => request(new URL(path, url), call),
		account: (wanted) => createAccount(host, wanted),
		logs: () => lines,
		processes: () => descendants(pid),
		kill,
		close: async () => {
			if (child.exitCode === null && child.signalCode === null) await kill('SIGTERM')
			await allGone(seen)
			await cleanUp()
		},
		again: () => launch({ ...options, port: Number(new URL(url).port) }, databaseUrl, cleanUp),
	}
	return host
}

function collect(child: ChildProcess, lines: string[]): void {
	for (const stream of [child.stdout, child.stderr]) {
		let rest = ''
		stream?.setEncoding('utf8').on('data', (chunk: string) => {
			const parts = (rest + chunk).split('\n')
			rest = parts.pop() ?? ''
			lines.push(...parts.filter((line) => line !== ''))
		})
	}
}

/** From its start log. */
async function waitForAddress(lines: string[], exited: Promise<unknown>): Promise<string> {
	let ended = false
	exited.then(() => {
		ended = true
	})
	for (const end = Date.now() + readyMs; Date.now() < end; await delay(10)) {
		for (const line of lines) {
			const address = /"listener":"(http:[^"]+)"/.exec(line)?.[1]
			if (address && line.includes('Berth is ready')) return address
		}
		// What it said last may come just after its end.
		if (ended) {
			await delay(50)
			break
		}
	}
	throw new Error(`the host did not start:\n${lines.join('\n')}`)
}

async function request<T>(url: URL, { method, token, json, headers, body }: Call = {}): Promise<Answer<T>> {
	const sent = json === undefined ? body : JSON.stringify(json)
	const response = await fetch(url, {
		method: method ?? (sent === undefined ? 'GET' : 'POST'),
		headers: {
			...(token !== undefined && { authorization: `Bearer ${token}` }),
			...(json !== undefined && { 'content-type': 'application/json' }),
			...headers,
		},
		...(sent !== undefined && { body: sent }),
		redirect: 'manual',
	})
	const text = await response.text()
	const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '')
	return {
		status: response.status,
		headers: response.headers,
		text,
		body: (isJson ? JSON.parse(text) : text) as T,
	}
}

async function createAccount(
	host: TestHost,
	wanted: Parameters<TestHost['account']>[0],
): Promise<TestAccount> {
	const json = { email: `${randomBytes(6).toString('hex')}@example.com`, token: true, ...wanted }
	const { status, body, text } = await host.call<TestAccount>('/v1/admin/accounts', {
		token: host.operator,
		json,
	})
	if (status !== 201) throw new Error(`the account was not made: ${status} ${text}`)
	return body
}

/** A database of its own, with the schema unless it is of another template. Copied as files, it takes two thirds of the CPU: nothing here is synced to disk. */
export async function cloneTemplate(template = 'template'): Promise<string> {
	const socket = inject('postgres')
	const name = `t_${randomBytes(8).toString('hex')}`
	await onServer(socket, (sql) =>
		sql.unsafe(`create database ${name} template ${template} strategy file_copy`),
	)
	return `postgres://app@/${name}?host=${socket}`
}

export async function dropDatabase(url: string): Promise<void> {
	const name = /\/([a-z0-9_]+)\?/.exec(url)?.[1] ?? ''
	await onServer(inject('postgres'), (sql) => sql.unsafe(`drop database if exists ${name} with (force)`))
}

let server: postgres.Sql | undefined

/** One connection a test process, which a while without work ends. */
async function onServer(socket: string, work: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
	const path = join(socket, '.s.PGSQL.5432')
	const options = { user: 'app', database: 'postgres', max: 1, idle_timeout: 10, onnotice: () => {} }
	server ??= postgres({ host: socket, path, ...options })
	await work(server)
}

export function descendants(pid: number): number[] {
	const children = new Map<number, number[]>()
	for (const name of readdirSync('/proc')) {
		const parent = /^\d+$/.test(name) ? Number(stat(Number(name))[1]) : Number.NaN
		if (!Number.isNaN(parent)) children.set(parent, [...(children.get(parent) ?? []), Number(name)])
	}
	const found = [pid]
	for (const one of found) found.push(...(children.get(one) ?? []))
	return found
}

/** State, parent, … start time of /proc/PID/stat; empty once it is gone. */
function stat(pid: number): string[] {
	try {
		const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
		return text.slice(text.lastIndexOf(')') + 2).split(' ')
	} catch {
		return []
	}
}

const startTime = (pid: number) => stat(pid)[19] ?? ''

async function allGone(seen: Map<number, string>): Promise<void> {
	const left = () =>
		[...seen].filter(([pid, started]) => started !== '' && startTime(pid) === started && stat(pid)[0] !== 'Z')
	for (const end = Date.now() + 5_000; left().length > 0; await delay(20)) {
		if (Date.now() < end) continue
		const names = left().map(
			([pid]) => `${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`,
		)
		for (const [pid] of left()) process.kill(pid, 'SIGKILL')
		throw new Error(`processes outlived their host:\n${names.join('\n')}`)
	}
}
