import type { CallToolResult, Tool } from '@modelcontextprotocol/server'
import { SPENT } from '../../../runtime/wire/agent-calls.ts'
import type { Usage } from '../../../runtime/wire/journal.ts'
import { spentOf } from '../../../runtime/wire/usage.ts'
import type { KnownDeployment } from '../../deployments/index.ts'
import type { RunRecord } from '../live/types.ts'
import { isTerminal } from '../live/wait.ts'

/** In a result's `_meta`: the run that the call began, its address, and the code of a failure. */
const RUN = 'berth/run'
const RUN_URL = 'berth/run_url'
const CODE = 'berth/code'
/** What the answer rests on, as a run has it. */
const CITATIONS = 'berth/citations'

/** Model providers take no other names. */
const nameMaxLetters = 64

/** An agent as the one tool of its own MCP server. */
export function toolOf({ name, agent }: KnownDeployment): Tool {
	const { description, inputs, output } = agent
	return {
		name: name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, nameMaxLetters),
		description: description || `Runs the agent ${name} and returns its answer.`,
		inputSchema: inputs as Tool['inputSchema'],
		...(isObjects(output) && { outputSchema: output as Tool['outputSchema'] }),
		// An agent may do whatever its own tools do.
		annotations: {
			readOnlyHint: false,
			destructiveHint: true,
			idempotentHint: false,
			openWorldHint: true,
		},
	}
}

/** MCP's structured content is an object. */
const isObjects = (schema: object | undefined) =>
	schema !== undefined && 'type' in schema && schema.type === 'object'

/** Of a run that has ended; of one that goes on, where to look. */
export function resultOf(deployment: KnownDeployment, record: RunRecord): CallToolResult {
	const { id, status, error, usage } = record
	const url = `${deployment.url}/runs/${id}`
	const spent = usage !== null && isTerminal(record) && { [SPENT]: spentOf(JSON.parse(usage) as Usage) }
	const _meta = { [RUN]: id, [RUN_URL]: url, ...spent }
	if (status === 'succeeded') {
		const output = JSON.parse(record.output ?? 'null') as unknown
		const text = typeof output === 'string' ? output : JSON.stringify(output)
		const structuredContent = isObjects(deployment.agent.output) && (output as Record<string, unknown>)
		const cited = record.citations !== null && { [CITATIONS]: JSON.parse(record.citations) as unknown }
		return {
			content: [{ type: 'text', text }],
			...(structuredContent && { structuredContent }),
			_meta: { ..._meta, ...cited },
		}
	}
	if (error) return failed(error.code, error.message, _meta)
	const text = `The run ${id} is still ${status}. Read its answer at ${url}, or make the same call again with its idempotency key.`
	return { content: [{ type: 'text', text }], isError: true, _meta }
}

export function failed(code: string, message: string, meta: Record<string, unknown> = {}): CallToolResult {
	return {
		content: [{ type: 'text', text: `${code}: ${message}` }],
		isError: true,
		_meta: { ...meta, [CODE]: code },
	}
}
