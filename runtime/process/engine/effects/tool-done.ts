/** How a call of a connector's tool is answered. */

import type { Spent } from '../../../wire/agent-calls.ts'
import type { FileInfo } from '../../../wire/files.ts'
import type { Effect } from '../../../wire/recorded-effect.ts'
import { ConnectorError, type ToolReply } from '../../connectors/index.ts'
import { fail } from '../end.ts'
import { putFile } from '../files.ts'
import type { Run } from '../run.ts'
import { overByAgents } from '../run-limits.ts'
import { type Screened, screened } from '../screen.ts'
import { durationOf, settle } from '../settle.ts'
import { spendShare } from '../share.ts'
import { shownText } from '../shown.ts'
import type { ConnectorTool } from '../tool-table.ts'

export interface ToolCall {
	run: Run
	effect: Effect
	tool: ConnectorTool
	/** As the model calls it. */
	name: string
	args: { input?: unknown; call_id?: unknown }
	/** By an agent, as far as it is known: nothing before it was called. */
	spent: Spent | undefined
}

/** The same of a result that may have files, which are the run's from then on. One that cannot be stored is said in words. */
export async function completeStored(call: ToolCall, { files = [], ...reply }: ToolReply): Promise<void> {
	const stored: FileInfo[] = []
	for (const [position, file] of files.entries()) {
		const made = await putFile(call.run, { effect: call.effect.n, position, ...file })
		if (call.run.over) return
		if (typeof made === 'string') reply.output += `\n[${file.name} is left out: ${made}]`
		else stored.push(made)
	}
	complete(call, reply, undefined, stored)
}

export function complete(
	{ run, effect, name, spent }: ToolCall,
	{ ok, output, structured }: ToolReply,
	told?: { error?: { code: string; message: string }; screen?: Screened['screen'] },
	stored: FileInfo[] = [],
): void {
	const files = stored.length > 0 && { files: stored }
	const result = { ok, output, ...(structured !== undefined && { structured }), ...files }
	settle(run, effect, {
		type: 'tool.completed',
		ok: true,
		result: JSON.stringify(result),
		data: {
			call: effect.n,
			name,
			ok,
			...told,
			...durationOf(run, effect),
			...spendShare(run, effect.n, spent),
			...files,
			...shownText('output', output),
		},
	})
	endIfOver(run)
}

export async function completeScreened(
	call: ToolCall,
	guard: ConnectorTool,
	reply: ToolReply,
): Promise<void> {
	const { run, name } = call
	const { files, ...read } = reply
	// Nobody can screen them.
	if (files) read.output += '\n[Its files are withheld, as the guard reads text alone.]'
	try {
		const { reply: shown, ...told } = await screened(call, guard, read)
		complete(call, shown, told)
	} catch (error) {
		if (run.over) return
		if (!(error instanceof ConnectorError)) throw error
		const why = `${name} was called, and its result is withheld: the guard cannot be asked (${error.message}).`
		refuse(call, new ConnectorError(error.code, error.reason, why))
	}
}

/**
 * Recorded like an answer: the program sees the same failure when it is run again. What the server said is for the
 * owner only, and where its results are screened for nobody: no guard has seen it.
 */
export function refuse(
	{ run, effect, tool, name, spent }: ToolCall,
	{ code, message, said }: ConnectorError,
): void {
	run.rejections.add(code)
	const error = { code, message }
	const shown = tool.screen || !said ? error : { ...error, said }
	settle(run, effect, {
		type: 'tool.completed',
		ok: false,
		result: JSON.stringify(error),
		data: {
			call: effect.n,
			name,
			ok: false,
			error: shown,
			...durationOf(run, effect),
			...spendShare(run, effect.n, spent),
		},
	})
	endIfOver(run)
}

function endIfOver(run: Run): void {
	const over = overByAgents(run)
	if (over) fail(run, over.code, over.message)
}
