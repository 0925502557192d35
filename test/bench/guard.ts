/**
 * `tools/call` on warm connections: the guard against a bare SDK server with one empty tool, in turns, in both protocol
 * eras. Aim: at most 1 ms more at p50, at least half of the bare server's calls per second (the judge apart).
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Agent, request } from 'undici'
import { type Load, load, quantile, together } from './load.ts'

const rounds = 3
const serialCalls = 300
const callers = 32
const busySeconds = 2
/** Below the guard's own 120 in 60 s. */
const callsAnAccount = 110
const accounts = 600

interface Server {
	url: string
	tokens?: string[]
	child: ChildProcess
}

async function start(file: string, ...args: string[]): Promise<Server> {
	const child = spawn(process.execPath, [fileURLToPath(new URL(file, import.meta.url)), ...args], {
		stdio: ['ignore', 'pipe', 'inherit'],
	})
	const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
	const [line] = (await once(lines, 'line')) as [string]
	return { ...(JSON.parse(line) as { url: string; tokens?: string[] }), child }
}

const eras = {
	'2025-11-25': { headers: {}, meta: undefined },
	'2026-07-28': {
		headers: { 'mcp-method': 'tools/call' },
		meta: {
			'io.modelcontextprotocol/protocolVersion': '2026-07-28',
			'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
			'io.modelcontextprotocol/clientCapabilities': {},
		},
	},
}
type Era = keyof typeof eras

function caller(server: Server, era: Era, tool: string, args: object): () => Promise<void> {
	const dispatcher = new Agent({ connections: callers })
	const { headers, meta } = eras[era]
	const body = JSON.stringify({
		jsonrpc: '2.0',
		id: 1,
		method: 'tools/call',
		params: { name: tool, arguments: args, ...(meta && { _meta: meta }) },
	})
	let calls = 0
	return async () => {
		const token = server.tokens?.[calls++ % accounts]
		if (calls > callsAnAccount * accounts) throw new Error('too few accounts for so many calls')
		const { statusCode, body: answer } = await request(server.url, {
			method: 'POST',
			dispatcher,
			headers: {
				'content-type': 'application/json',
				accept: 'application/json, text/event-stream',
				'mcp-protocol-version': era,
				...headers,
				...(meta && { 'mcp-name': tool }),
				...(token && { authorization: `Bearer ${token}` }),
			},
			body,
		})
		const text = await answer.text()
		if (statusCode !== 200 || text.includes('"isError":true') || !text.includes('"result"'))
			throw new Error(`${server.url}: ${statusCode} ${text}`)
	}
}

export async function benchGuard(): Promise<Record<string, unknown>> {
	const servers = { bare: await start('mcpBare.ts'), guard: await start('mcpGuard.ts', String(accounts * 2)) }
	try {
		const figures: Record<string, unknown> = {}
		for (const [i, era] of (Object.keys(eras) as Era[]).entries()) {
			const half = {
				...servers.guard,
				tokens: servers.guard.tokens?.slice(i * accounts, (i + 1) * accounts) ?? [],
			}
			const call = {
				bare: caller(servers.bare, era, 'empty', {}),
				guard: caller(half, era, 'guard_noul', { propositions: ['The sky is blue on a clear day.'] }),
			}
			figures[era] = await compare(call)
		}
		return figures
	} finally {
		for (const { child } of Object.values(servers)) {
			child.kill('SIGTERM')
			await once(child, 'exit')
		}
	}
}

async function compare(call: Record<'bare' | 'guard', () => Promise<void>>) {
	const names = ['bare', 'guard'] as const
	const seen = { bare: [[], []], guard: [[], []] } as Record<'bare' | 'guard', [Load[], Load[]]>
	for (const name of names) await load(callers, 400, 10, call[name])
	for (let round = 0; round < rounds; round++) {
		for (const name of names) seen[name][0].push(await load(1, serialCalls, 10, call[name]))
		for (const name of names)
			seen[name][1].push(await load(callers, Number.POSITIVE_INFINITY, busySeconds, call[name]))
	}
	const figures = Object.fromEntries(
		names.map((name) => {
			const [serial, busy] = seen[name].map(together) as [Load, Load]
			return [name, { p50_ms: quantile(serial.latencies, 0.5), calls_per_second: busy.calls / busy.seconds }]
		}),
	) as Record<'bare' | 'guard', { p50_ms: number; calls_per_second: number }>
	return {
		...figures,
		added_ms: figures.guard.p50_ms - figures.bare.p50_ms,
		share_of_bare: figures.guard.calls_per_second / figures.bare.calls_per_second,
	}
}

if (import.meta.main) console.log(JSON.stringify(await benchGuard(), null, '\t'))
