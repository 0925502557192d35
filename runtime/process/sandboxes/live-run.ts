/** A run as the runtime's side sees it: what it may send, and that it ends exactly once. */
import { WITHOUT_REPLY } from '../../wire/effects.ts'
import type { EndKind } from '../../wire/sandbox.ts'
import type { SandboxEnd, SandboxJob } from './types.ts'

const MAX_OUTSTANDING = 1_000
/** Message and data at their bounds, every character escaped. */
const MAX_LOG_CHARS = 128 * 1024
/** Of all effects of a run together: a conversation is sent again with every model call. */
const MAX_SENT_CHARS = 128 * 1024 * 1024

export interface SandboxedRun {
	readonly id: number
	readonly job: SandboxJob
	/** Numbers of the effects that wait for their answer. */
	readonly awaited: Set<number>
	issued: number
	sentChars: number
	/** Messages about it that its process has not answered. */
	owed: number
	state: 'waiting' | 'going' | 'over'
	/** By the engine. */
	stopped: boolean
	/** Once, when it is over; without its end where the engine stopped it. */
	onOver: ((end: SandboxEnd | undefined) => void) | undefined
}

export function newRun(id: number, job: SandboxJob): SandboxedRun {
	return {
		id,
		job,
		awaited: new Set(),
		issued: 0,
		sentChars: 0,
		owed: 0,
		state: 'waiting',
		stopped: false,
		onOver: undefined,
	}
}

export function endRun(run: SandboxedRun, end: SandboxEnd): void {
	if (run.state === 'over') return
	run.state = 'over'
	run.onOver?.(end)
	run.job.onEnd(end)
}

/** One item of a frame. Answers why it is refused, if it is: the run is at fault then. */
export function receive(run: SandboxedRun, item: unknown): string | undefined {
	if (!Array.isArray(item)) return 'The program sent something that is no effect.'
	const [n, kind, text, trace] = item as unknown[]
	if (typeof kind !== 'string' || typeof text !== 'string')
		return 'The program sent something that is no effect.'
	const stack = typeof trace === 'string' ? trace : undefined
	if (n === 0) {
		endRun(run, endOf(kind as EndKind, text, stack))
		return undefined
	}
	if (n === -1) {
		const lines = Number(text)
		if (Number.isSafeInteger(lines) && lines > 0) run.job.onNotKept?.(lines)
		return undefined
	}
	if (n !== run.issued + 1) return `The program used effect number ${String(n).slice(0, 20)} out of turn.`
	run.issued += 1
	run.sentChars += text.length + (stack?.length ?? 0)
	if (!WITHOUT_REPLY.has(kind)) run.awaited.add(run.issued)
	if (run.awaited.size > MAX_OUTSTANDING)
		return `The program waits for over ${MAX_OUTSTANDING} effects at once.`
	if (run.sentChars > MAX_SENT_CHARS)
		return `The program sent over ${MAX_SENT_CHARS / 1024 / 1024} Mi characters.`
	if (kind === 'log' && text.length > MAX_LOG_CHARS) return 'The program wrote a log line that is too long.'
	run.job.onEffect(run.issued, kind, text, stack)
	return undefined
}

/** With no answer owed to it, nothing will ever wake it. */
export function waitsForNothing(run: SandboxedRun): boolean {
	return run.state === 'going' && run.awaited.size === 0 && run.owed === 0
}

function endOf(kind: EndKind, text: string, stack: string | undefined): SandboxEnd {
	switch (kind) {
		case 'ok':
			return { ok: true, output: text }
		case 'cpu':
			return { ok: false, code: 'cpu_limit_reached', message: text, stack }
		case 'memory':
			return { ok: false, code: 'memory_limit_reached', message: text }
		case 'starved':
			return { ok: false, code: 'sandbox_lost', message: text, blameless: true, starved: true, stack }
		case 'alone': {
			const message = 'The context that it shared with other runs is gone, or too small for it.'
			return { ok: false, code: 'sandbox_lost', message, blameless: true, alone: true }
		}
		case 'error':
			return { ok: false, code: 'agent_error', ...failureOf(text), stack }
		default:
			return { ok: false, code: 'agent_error', message: text, stack }
	}
}

function failureOf(text: string): { message: string; cause?: string } {
	try {
		const { code, message } = JSON.parse(text) as { code?: unknown; message?: unknown }
		const cause = typeof code === 'string' && code !== 'agent_error' ? { cause: code } : undefined
		return {
			message: typeof message === 'string' && message !== '' ? message : 'The program failed.',
			...cause,
		}
	} catch {
		return { message: 'The program failed.' }
	}
}
