import { checkSchema, compileSchema, type Validate } from '../../bundles/index.ts'
import type { ToolDefinition } from '../providers/index.ts'
import { RunFailure } from './failure.ts'

/** Names both providers take. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/
const MAX_TOOLS = 128
const DESCRIPTION_MAX_CHARS = 8 * 1024

export interface DeclaredTool {
	definition: ToolDefinition
	validate: Validate
}
export type DeclaredTools = ReadonlyMap<string, DeclaredTool>

export const NOTHING_DECLARED: DeclaredTools = new Map()

/** `tools.declare` as the guest sent it: the functions of `tools.ts`, which no one has checked before. */
export function declaredTools(args: string): DeclaredTools {
	const { tools } = JSON.parse(args) as { tools?: unknown }
	if (!Array.isArray(tools) || tools.length > MAX_TOOLS)
		throw wrong(`tools must be a list of at most ${MAX_TOOLS}`)
	const declared = new Map<string, DeclaredTool>()
	for (const tool of tools as Partial<ToolDefinition>[]) {
		const { name, description, input } = tool ?? {}
		if (typeof name !== 'string' || !NAME.test(name)) {
			throw wrong('the name of a tool is 1–64 letters, digits, _ and -')
		}
		if (declared.has(name)) throw wrong(`two tools are named ${name}`)
		if (typeof description !== 'string' || description.length > DESCRIPTION_MAX_CHARS) {
			throw wrong(`${name} needs a description of at most ${DESCRIPTION_MAX_CHARS} characters`)
		}
		if (typeof input !== 'object' || input === null) throw wrong(`${name} needs an input schema`)
		const [fault] = checkSchema(input)
		if (fault) throw wrong(`the input schema of ${name}: /${fault.path.join('/')} ${fault.message}`)
		declared.set(name, { definition: { name, description, input }, validate: compileSchema(input) })
	}
	return declared
}

function wrong(what: string): RunFailure {
	return new RunFailure('agent_error', `The agent's own tools cannot be used: ${what}.`)
}
