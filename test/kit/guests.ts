/** Guests for tests: agents given as source text, effects answered by a function. */
import { fileURLToPath } from 'node:url'
import {
	createSandboxes,
	type SandboxEnd,
	type Sandboxes,
	type SandboxesOptions,
} from '../../runtime/process/sandboxes/index.ts'

export const distDir = fileURLToPath(new URL('../../dist', import.meta.url))
const SEED = '00112233445566778899aabbccddeeff'
export const START = Date.UTC(2026, 0, 2, 3, 4, 5)

export interface Guest {
	/** Body of `agent.ts`: `inputs` and `ctx` are there. */
	program?: string
	/** Source of the exports of `tools.ts`: `{ name: {description, input, run} }`. */
	tools?: string
	/** A whole script as it would be compiled, for what the two above cannot say. */
	script?: string
	agent?: object
	inputs?: object
	deployment?: string
	account?: string
	memoryMb?: number
	cpuMs?: number
	starved?: number
	/** In a context of its own. */
	alone?: boolean
	seed?: string
}

export interface Sent {
	n: number
	method: string
	args: Record<string, unknown>
}

/** What an effect is answered with; nothing: it stays unanswered. A thrown `{code, message}` rejects it. */
export type AnswerEffect = (effect: Sent) => unknown

export interface Ran {
	end: SandboxEnd
	/** The output as a value, where it ended well. */
	output: unknown
	sent: Sent[]
	logs: string[]
}

export const text = (content: string) => ({
	message: { role: 'assistant', content },
	stop: 'end',
	usage: { input_tokens: 1, output_tokens: 1 },
})

export const calls = (...tool_calls: object[]) => ({
	message: { role: 'assistant', content: '', tool_calls },
	stop: 'tool_calls',
	usage: { input_tokens: 1, output_tokens: 1 },
})

const ordinary: AnswerEffect = ({ method, args }) => {
	if (method === 'model') return text('fine')
	if (method === 'tool.local') return { run: true }
	if (method === 'tool.call') return { ok: true, output: JSON.stringify(args) }
	if (method === 'tools.list') return { tools: [] }
	return {}
}

let digests = 0

/** Again where it was starved or is to be alone, as the engine does: other work keeps this machine busy. */
export async function runGuest(
	sandboxes: Sandboxes,
	guest: Guest,
	answer: AnswerEffect = ordinary,
): Promise<Ran> {
	let { starved = 0, alone = false } = guest
	for (;;) {
		const ran = await startGuest(sandboxes, { ...guest, starved, alone }, answer).done
		const { end } = ran
		if (end.ok || end.code !== 'sandbox_lost' || !(end.starved || (end.alone && !alone))) return ran
		if (end.starved) starved++
		if (end.alone) alone = true
	}
}

export function startGuest(sandboxes: Sandboxes, guest: Guest, answer: AnswerEffect = ordinary) {
	const { promise: done, resolve } = Promise.withResolvers<Ran>()
	const sent: Sent[] = []
	const logs: string[] = []
	let at = START
	const run = sandboxes.start({
		deployment: guest.deployment ?? 'dep_test',
		account: guest.account ?? 'acc_test',
		run: 'run_test',
		bundle: bundleOf(guest),
		memoryMb: guest.memoryMb ?? 32,
		cpuMs: guest.cpuMs ?? 1_000,
		starved: guest.starved ?? 0,
		alone: guest.alone ?? false,
		inputs: JSON.stringify(guest.inputs ?? {}),
		seed: guest.seed ?? SEED,
		startedAt: START,
		onEffect(n, method, args) {
			const effect = { n, method, args: JSON.parse(args) as Sent['args'] }
			sent.push(effect)
			if (method === 'log') logs.push(String(effect.args.message))
			if (method === 'log' || method === 'tools.declare' || method === 'tool.local.done') return
			at += 1_000
			try {
				const reply = answer(effect)
				if (reply !== undefined) run.deliver(n, true, JSON.stringify(reply), at)
			} catch (error) {
				run.deliver(n, false, JSON.stringify(error), at)
			}
		},
		onEnd(end) {
			resolve({ end, output: end.ok ? JSON.parse(end.output) : undefined, sent, logs })
		},
	})
	return { run, done, sent }
}

const bundles = new Map<
	string,
	{
		digest: string
		agent: string
		scripts: { name: string; kind: 'tools' | 'agent'; skill?: string; code: string }[]
	}
>()

/** The same agent has the same digest, as in a deployment. */
function bundleOf({ program, tools, script, agent }: Guest) {
	const key = JSON.stringify([program, tools, script, agent])
	const known = bundles.get(key)
	if (known) return known
	const scripts = []
	if (tools !== undefined) {
		scripts.push({
			name: 'skills/s/tools.js',
			kind: 'tools' as const,
			skill: 's',
			code: `__berth.tools('s', ${tools})`,
		})
	}
	if (program !== undefined) {
		scripts.push({
			name: 'agent.js',
			kind: 'agent' as const,
			code: `__berth.agent(async (inputs, ctx) => {${program}\n})`,
		})
	}
	if (script !== undefined) scripts.push({ name: 'agent.js', kind: 'agent' as const, code: script })
	const whole = {
		name: 'test',
		prompt: 'You are a test.',
		model: {},
		inputs: {},
		output: null,
		skills: [],
		memory: false,
		...agent,
	}
	const bundle = { digest: `sha256:${++digests}`, agent: JSON.stringify(whole), scripts }
	bundles.set(key, bundle)
	return bundle
}

export function openSandboxes(options: Partial<SandboxesOptions> = {}): Promise<Sandboxes> {
	return createSandboxes({ distDir, dataDir: '/nonexistent', warmSpares: 1, idleStopMs: 60_000, ...options })
}

export function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0)
		return true
	} catch {
		return false
	}
}
