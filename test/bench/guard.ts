/**
 * `tools/call` on warm connections: the guard against a bare SDK server with one empty tool, in turns, in both protocol
 * eras. Aim: at most 1 ms more at p50, at least half of the bare server's calls per second (the judge apart).
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Agent, request } from 'undici'
import { createJudge } from '../../connector/index.ts'
import { benchTexts } from './guard-texts.ts'
import { type Load, load, quantile, together } from './load.ts'

const rounds = 3
const serialCalls = 300
const callers = 32
const busySeconds = 2
/** Below the guard's own 120 in 60 s. */
const callsAnAccount = 110
const accounts = 600
const claim = {
	claims: ['The bridge was opened in 1998.'],
	evidence: ['The bridge, opened in 1998, is 250 metres long. It carries two lanes and a path for cyclists.'],
}
const question = { propositions: ['The sky is blue on a clear day.'] }

export interface Server {
	url: string
	tokens?: string[]
	child: ChildProcess
}

export async function start(file: string, ...args: string[]): Promise<Server> {
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

/** `args`: of the n-th call. */
export function caller(
	server: Server,
	era: Era,
	tool: string,
	args: (n: number) => object,
): () => Promise<void> {
	const dispatcher = new Agent({ connections: callers })
	const { headers, meta } = eras[era]
	const bodyOf = (n: number) =>
		JSON.stringify({
			jsonrpc: '2.0',
			id: 1,
			method: 'tools/call',
			params: { name: tool, arguments: args(n), ...(meta && { _meta: meta }) },
		})
	let calls = 0
	return async () => {
		const token = server.tokens?.[calls % accounts]
		if (++calls > callsAnAccount * accounts) throw new Error('too few accounts for so many calls')
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
			body: bodyOf(calls),
		})
		const text = await answer.text()
		if (statusCode !== 200 || text.includes('"isError":true') || !text.includes('"result"'))
			throw new Error(`${server.url}: ${statusCode} ${text}`)
	}
}

/** Prints a table an era: serial p50, calls per second of busy callers, and what the guard adds. */
export async function benchGuard(quick = false): Promise<void> {
	const servers = {
		bare: await start('mcp-bare.ts'),
		guard: await start('mcp-guard.ts', String(accounts * 2)),
	}
	try {
		for (const [i, era] of (Object.keys(eras) as Era[]).entries()) {
			const half = {
				...servers.guard,
				tokens: servers.guard.tokens?.slice(i * accounts, (i + 1) * accounts) ?? [],
			}
			const { bare, guard } = await compare(
				{
					bare: caller(servers.bare, era, 'empty', () => ({})),
					guard: caller(half, era, 'guard_noul', () => question),
				},
				quick ? 1 : rounds,
			)
			console.log(`\nguard, tools/call, MCP ${era}     p50, 1 caller   calls/s, ${callers} callers`)
			console.log(`  bare SDK server, empty tool    ${ms(bare.p50)}   ${bare.perSecond.toFixed(0)}`)
			console.log(`  guard, judge that does nothing ${ms(guard.p50)}   ${guard.perSecond.toFixed(0)}`)
			console.log(
				`  added ${ms(guard.p50 - bare.p50)} (aim 1 ms), ${(guard.perSecond / bare.perSecond).toFixed(2)} of the calls (aim 0.5)`,
			)
		}
		console.log(`  built-in judge, one claim against a paragraph: ${ms(await judgeTime())}`)
		await benchTexts(servers.bare, quick)
	} finally {
		for (const { child } of Object.values(servers)) {
			child.kill('SIGTERM')
			await once(child, 'exit')
		}
	}
}

async function judgeTime(): Promise<number> {
	const judge = await createJudge({ backends: ['builtin'] })
	try {
		const { signal } = new AbortController()
		const asked = () => judge.verify(claim, signal).then(() => {})
		await load(1, 20, 10, asked)
		return quantile((await load(1, 200, 10, asked)).latencies, 0.5)
	} finally {
		await judge.close()
	}
}

const ms = (value: number) => `${value.toFixed(2)} ms`

interface Figures {
	p50: number
	perSecond: number
}

/** In turns, so that both see the same machine. */
async function compare(
	call: Record<'bare' | 'guard', () => Promise<void>>,
	times: number,
): Promise<Record<'bare' | 'guard', Figures>> {
	const names = ['bare', 'guard'] as const
	const serial: Record<string, Load[]> = { bare: [], guard: [] }
	const busy: Record<string, Load[]> = { bare: [], guard: [] }
	for (const name of names) await load(callers, 400, 10, call[name])
	for (let round = 0; round < times; round++) {
		for (const name of names) serial[name]?.push(await load(1, serialCalls, 10, call[name]))
		for (const name of names)
			busy[name]?.push(await load(callers, Number.POSITIVE_INFINITY, busySeconds, call[name]))
	}
	const figures = (name: string): Figures => {
		const { calls, seconds } = together(busy[name] ?? [])
		return { p50: quantile(together(serial[name] ?? []).latencies, 0.5), perSecond: calls / seconds }
	}
	return { bare: figures('bare'), guard: figures('guard') }
}

if (import.meta.main) await benchGuard()
