import { connectorSlug, sha256 } from '../../../bundles/index.ts'
import type { ToolDefinition } from '../../wire/model.ts'
import type { RemoteTool } from './types.ts'

export interface NamedTool<T = RemoteTool> {
	/** What the model sees; `definition.name` is the name it calls. */
	definition: ToolDefinition
	/** Canonical URL of its connector. */
	url: string
	tool: T
}

/** Both providers take these. */
const valid = /^[a-zA-Z0-9_-]{1,64}$/
const MAX_CHARS = 64

/**
 * A tool keeps its own name where providers take it and nothing else has it; otherwise it is `<slug>__<tool>`. The
 * order of the connectors decides nothing. `taken`: names that are not free (tools of `tools.ts`, memory tools).
 */
export function nameTools<T extends ToolDefinition>(
	offers: { url: string; tools: T[] }[],
	taken: Iterable<string> = [],
): NamedTool<T>[] {
	const all = offers.flatMap(({ url, tools }) => tools.map((tool) => ({ url, tool })))
	const used = new Map<string, number>()
	for (const name of taken) used.set(name, 1)
	for (const { tool } of all) used.set(tool.name, (used.get(tool.name) ?? 0) + 1)
	return all.map(({ url, tool }) => {
		const { description, input } = tool
		const plain = used.get(tool.name) === 1 && valid.test(tool.name)
		return {
			definition: { name: plain ? tool.name : fullName(url, tool.name, used), description, input },
			url,
			tool,
		}
	})
}

function fullName(url: string, tool: string, used: Map<string, number>): string {
	const whole = `${connectorSlug(url)}__${tool.replace(/[^a-zA-Z0-9_-]/g, '_')}`
	const name = whole.length <= MAX_CHARS && !used.has(whole) ? whole : shortened(whole, `${url} ${tool}`)
	used.set(name, 1)
	return name
}

function shortened(whole: string, identity: string): string {
	const mark = `_${sha256(identity).slice(0, 8)}`
	return `${whole.slice(0, MAX_CHARS - mark.length)}${mark}`
}
