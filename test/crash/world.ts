import { setTimeout as sleep } from 'node:timers/promises'
import type { Entry } from '../../runtime/wire/journal.ts'
import { type McpServer, type ScriptedTool, startMcpServer } from '../kit/mcp-server.ts'
import { type ModelCall, type ModelServer, startModelServer, type Turn } from '../kit/model-server.ts'
import { type Receiver, startReceiver } from '../kit/receiver.ts'
import { type Shop, startShop } from './shop.ts'

/** Everything outside Berth: it counts what really reached it. */
export interface World {
	models: ModelServer
	tools: McpServer
	/** Takes tokens of a sign-in only. */
	vault: McpServer
	shop: Shop
	hooks: Receiver
	/** When the model was asked, by tag of the run and number of the call in it. */
	asked: Map<string, number[]>
	/** Calls of a tool, by tool and key, and requests of programs, by path and tag. `endedAt` null: it never answered. */
	called: Map<string, { at: number; endedAt: number | null }[]>
	/** The next so many answers of the model break off in the middle. */
	cutNext(streams: number): void
	/** How many did. */
	cut(): number
	close(): Promise<void>
}

/** The same of everything for a tag, so that every run of it has one right answer. */
export const answerOf = (kind: Kind, tag: string) => {
	if (kind === 'program') return `program ${tag}: found ${tag}-a, found ${tag}-b`
	if (kind === 'files') return `files ${tag}: ${noteOf(tag)}`
	if (kind === 'agents') return `agents ${tag}: callee ${tag}`
	return kind === 'http' ? `http ${tag}: found ${tag}, settle, order` : `${kind} ${tag} done`
}

/** What is in the file of a run of `files`. */
export const noteOf = (tag: string) => `a note for ${tag}, äöü`

export const kinds = [
	'plain',
	'parallel',
	'charge',
	'mixed',
	'program',
	'oauth',
	'memory',
	'approval',
	'http',
	'files',
	'agents',
] as const
/** `callee`: called by `agents` alone. */
export type Kind = (typeof kinds)[number] | 'callee'

/** Tools and requests that are not repeatable, by the kinds that call them: once. */
export const unrepeatable: Partial<Record<Kind, string>> = {
	charge: 'charge',
	mixed: 'charge',
	approval: 'pay',
	http: 'order',
}

/** What an entry begins, as `called` names it; undefined: nothing outside. */
export function callIn({ type, data }: Entry): string | undefined {
	if (type === 'tool.started') return `${data.name} ${(data.input as { key?: string }).key}`
	if (type !== 'http.started') return undefined
	return new URL(String(data.url)).pathname.slice(1).replace('/', ' ')
}

/** They make more of what the model says. */
const programs = new Set<Kind>(['program', 'http', 'files', 'agents', 'callee'])

const lookupMs = 120
const chargeMs = 250

/** A model's answer takes `modelMs` to three times as long. */
export async function startWorld(isValid: (token: string) => boolean, modelMs: number): Promise<World> {
	const asked: World['asked'] = new Map()
	const called: World['called'] = new Map()
	let [cutting, cut] = [0, 0]
	const tool = (name: string, description: string, ms: number, past: string): ScriptedTool => ({
		name,
		description,
		inputSchema: { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] },
		run: async ({ key }) => {
			const call: { at: number; endedAt: number | null } = { at: Date.now(), endedAt: null }
			const id = `${name} ${key}`
			called.set(id, [...(called.get(id) ?? []), call])
			await sleep(ms)
			call.endedAt = Date.now()
			return { content: [{ type: 'text', text: `${past} ${key}` }] }
		},
	})
	const lookup = tool('lookup', 'Finds something; may be asked twice', lookupMs, 'found')
	const tools = await startMcpServer({
		tools: [
			lookup,
			tool('charge', 'Does something that must not be done twice', chargeMs, 'charged'),
			tool('pay', 'Does it once a person has agreed', chargeMs, 'paid'),
		],
	})
	const vault = await startMcpServer({ tools: [lookup], token: isValid })
	const shop = await startShop(called)
	const script = (kind: Kind) => (call: ModelCall) => {
		const said = JSON.stringify(call.body)
		const tag = /run-\d+/.exec(said)?.[0] ?? ''
		// The program's two calls are two conversations.
		const own = kind === 'callee' ? 'callee ' : ''
		const id = `${own}${tag} ${said.includes('Think again') ? 1 : call.turn}`
		asked.set(id, [...(asked.get(id) ?? []), Date.now()])
		const turn = { ...turnOf(kind, tag, call.turn), delayMs: modelMs * (1 + 2 * Math.random()) }
		if (cutting <= 0) return turn
		cutting--
		cut++
		return { ...turn, fault: 'cut' as const }
	}
	const models = await startModelServer(
		Object.fromEntries([...kinds, 'callee' as const].map((kind) => [kind, script(kind)])),
	)
	const hooks = await startReceiver()
	return {
		models,
		tools,
		vault,
		shop,
		hooks,
		asked,
		called,
		cut: () => cut,
		cutNext(streams) {
			cutting += streams
		},
		async close() {
			await Promise.all([models.close(), tools.close(), vault.close(), shop.close(), hooks.close()])
		},
	}
}

function turnOf(kind: Kind, tag: string, turn: number): Turn {
	const lookup = (part: string) => ({ name: 'lookup', input: { key: `${tag}-${part}` } })
	const charge = { name: 'charge', input: { key: tag } }
	const calls = {
		plain: [lookup('a')],
		parallel: [lookup('a'), lookup('b'), lookup('c')],
		charge: [charge],
		mixed: [lookup('a'), charge],
		program: [],
		oauth: [lookup('a'), lookup('b')],
		memory: [],
		approval: [{ name: 'pay', input: { key: tag } }],
		http: [],
		files: [],
		agents: [],
		callee: [],
	}[kind]
	if (turn === 0 && calls.length > 0) return { calls }
	return { text: programs.has(kind) ? `${kind} ${tag}` : answerOf(kind, tag) }
}
