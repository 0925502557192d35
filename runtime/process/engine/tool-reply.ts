import type { ToolReply } from '../connectors/index.ts'
import { inWords } from './answered.ts'
import type { Run } from './run.ts'
import type { ConnectorTool } from './tool-table.ts'

/**
 * What a tool said of its results was locked with it, and programs read them by it: one that breaks it is a failed one.
 * A reported failure need not fit.
 */
export async function checkedReply(
	run: Run,
	{ validateResult }: ConnectorTool,
	name: string,
	reply: ToolReply,
): Promise<ToolReply> {
	if (!validateResult || !reply.ok) return reply
	const faults =
		reply.structured === undefined
			? [{ path: '', message: 'is missing' }]
			: await validateResult(reply.structured, { queue: run.begin.deployment })
	if (faults.length === 0) return reply
	const output = `${name} was called, and its structured result does not fit its outputSchema: ${inWords(faults)}.`
	return { ok: false, output }
}
