import type { Tool } from '@modelcontextprotocol/client'
import { canonicalJson, sha256 } from '../../../bundles/index.ts'
import { TOOL_FAULT } from './mend.ts'
import type { RemoteTool } from './types.ts'

export const SCHEMA_MAX_BYTES = 64 * 1024
const DESCRIPTION_MAX_CHARS = 8 * 1024

/** A text where it cannot be used: why. */
export function remoteTool(tool: Tool, agent: boolean): RemoteTool | string {
	const { name, description = '', inputSchema: input, outputSchema: output, annotations, execution } = tool
	const fault = tool._meta?.[TOOL_FAULT]
	if (fault !== undefined) return `the definition of ${name} is not as MCP has it (${fault})`
	if ([input, output].some((schema) => schema && JSON.stringify(schema).length > SCHEMA_MAX_BYTES))
		return `the schema of ${name} is over ${SCHEMA_MAX_BYTES} bytes`
	// An agent learns what budget its caller has left: a server that begins to say so has changed.
	const said = agent && { agent }
	return {
		name,
		description: description.slice(0, DESCRIPTION_MAX_CHARS),
		input,
		...(output && { output }),
		readOnly: annotations?.readOnlyHint === true,
		idempotent: annotations?.idempotentHint === true,
		needsTask: execution?.taskSupport === 'required',
		agent,
		hash: digest({ name, description, input, output, ...said }),
		plainHash: digest({ name, description, input, output }),
		schemaHash: digest({ input, output, ...said }),
	}
}

function digest(value: unknown): string {
	return `sha256:${sha256(canonicalJson(value))}`
}
