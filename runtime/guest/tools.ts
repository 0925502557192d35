/** Tools that run in the guest: exports of `tools.ts`, and the two that the standard loop brings along. */
import type { ToolReply } from '../../bundles/types/index.d.ts'
import { EffectFailure, issue, numbered } from './bridge.ts'
import { cut, jsonOfReturned, show } from './inspect.ts'
import { expectOwnersCode, stackOf } from './stack.ts'
import type { LocalTool, RunState } from './state.ts'

/** What a model reads of one result. */
const MAX_RESULT_CHARS = 100_000

/** `__berth.tools`, which the compiled script of a skill calls. */
export function registerTools(run: RunState, skill: string, exports: Record<string, unknown>): void {
	for (const [name, value] of Object.entries(exports)) {
		const tool = value as Partial<LocalTool> | null
		if (typeof tool !== 'object' || tool === null || typeof tool.run !== 'function') continue
		expectOwnersCode()
		run.tools.set(run.tools.has(name) ? `${skill}_${name}` : name, tool as LocalTool)
	}
}

/** Before the first model call or list: the runtime learns what this run offers. */
export function declareTools(run: RunState): void {
	if (run.declared) return
	run.declared = true
	if (run.tools.size === 0) return
	issue(run, 'tools.declare', {
		tools: Array.from(run.tools, ([name, { description, input }]) => ({ name, description, input })),
	})
}

/** For a tool that is not there, or an input that does not fit it. */
const REFUSED = new Set(['input_invalid', 'tool_missing'])

/** Calls a tool wherever it runs. A call that can be made better is `ok: false`, like one whose tool failed. */
export async function callTool(
	run: RunState,
	name: string,
	input: unknown,
	callId?: string,
): Promise<ToolReply> {
	declareTools(run)
	const args = callId === undefined ? { name, input } : { name, input, call_id: callId }
	const local = run.tools.get(name)
	const { n, reply } = numbered(run, local ? 'tool.local' : 'tool.call', args)
	try {
		const answer = await reply
		if (!local) return answer as ToolReply
	} catch (error) {
		if (!(error instanceof EffectFailure && REFUSED.has(error.code))) throw error
		return { ok: false, output: error.message }
	}
	const result = await runLocal(run, local, input)
	const { stack, ...answer } = result
	issue(run, 'tool.local.done', { started: n, ok: answer.ok, output: answer.output }, stack)
	return answer
}

async function runLocal(
	run: RunState,
	tool: LocalTool,
	input: unknown,
): Promise<ToolReply & { stack?: string | undefined }> {
	try {
		const value = await tool.run(input as never, run.context)
		if (typeof value === 'string') return { ok: true, output: cut(value, MAX_RESULT_CHARS) }
		const json = jsonOfReturned(value)
		if (json.length > MAX_RESULT_CHARS) return { ok: true, output: cut(json, MAX_RESULT_CHARS) }
		return { ok: true, output: json, structured: JSON.parse(json) }
	} catch (error) {
		if (endsRun(error)) throw error
		return { ok: false, output: cut(messageOf(error), MAX_RESULT_CHARS), stack: stackOf(error) }
	}
}

/** Refusals that a model can do something about come back to it; all others end the run with their code. */
const FOR_THE_MODEL = new Set([
	'input_invalid',
	'inputs_invalid',
	'invalid_request',
	'not_found',
	'tool_missing',
	'conflict',
	'http_unavailable',
	'http_too_large',
	'http_redirect_refused',
])

export function endsRun(error: unknown): boolean {
	return error instanceof EffectFailure && !FOR_THE_MODEL.has(error.code)
}

export function messageOf(error: unknown): string {
	try {
		return error instanceof Error ? String(error.message) || error.name : show(error)
	} catch {
		return 'something that cannot be shown was thrown'
	}
}
