import type { ToolDefinition } from '../providers/index.ts'
import type { RemoteTool } from './types.ts'

export interface NamedTool {
	/** What the model sees; `definition.name` is the name it calls. */
	definition: ToolDefinition
	/** Canonical URL of its connector. */
	url: string
	tool: RemoteTool
}

/** `taken`: names that are not free (tools of `tools.ts`, memory tools). */
export function nameTools(
	_offers: { url: string; tools: RemoteTool[] }[],
	_taken?: Iterable<string>,
): NamedTool[] {
	throw new Error('under construction')
}
