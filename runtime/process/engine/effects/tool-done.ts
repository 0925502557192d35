/** How a call of a connector's tool is answered. */

import type { Effect } from '../../../wire/recorded-effect.ts'
import { ConnectorError, type ToolReply } from '../../connectors/index.ts'
import type { Run } from '../run.ts'
import { type Screened, screened } from '../screen.ts'
import { durationOf, settle } from '../settle.ts'
import { shownText } from '../shown.ts'
import type { ConnectorTool } from '../tool-table.ts'

export interface ToolCall {
	run: Run
	effect: Effect
	tool: ConnectorTool
	/** As the model calls it. */
	name: string
	args: { input?: unknown; call_id?: unknown }
}

export function complete(
	{ run, effect, name }: ToolCall,
	{ ok, output, structured }: ToolReply,
	told?: { error?: { code: string; message: string }; screen?: Screened['screen'] },
): void {
	const result = { ok, output, ...(structured !== undefined && { structured }) }
	settle(run, effect, {
		type: 'tool.completed',
		ok: true,
		result: JSON.stringify(result),
		data: { call: effect.n, name, ok, ...told, ...durationOf(run, effect), ...shownText('output', output) },
	})
}

export async function completeScreened(
	call: ToolCall,
	guard: ConnectorTool,
	reply: ToolReply,
): Promise<void> {
	const { run, name } = call
	try {
		const { reply: shown, ...told } = await screened(call, guard, reply)
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
export function refuse({ run, effect, tool, name }: ToolCall, { code, message, said }: ConnectorError): void {
	run.rejections.add(code)
	const error = { code, message }
	const shown = tool.screen || !said ? error : { ...error, said }
	settle(run, effect, {
		type: 'tool.completed',
		ok: false,
		result: JSON.stringify(error),
		data: { call: effect.n, name, ok: false, error: shown, ...durationOf(run, effect) },
	})
}
