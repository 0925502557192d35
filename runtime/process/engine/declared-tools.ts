import {
	checkSchema,
	compileSchema,
	DESCRIPTION_MAX_CHARS,
	TOOL_NAME,
	TOOLS_MAX,
	type Validate,
} from '../../../bundles/index.ts'
import type { ToolDefinition } from '../../wire/model.ts'
import { RunFailure } from './failure.ts'

export interface DeclaredTool {
	definition: ToolDefinition
	validate: Validate
}
export type DeclaredTools = ReadonlyMap<string, DeclaredTool>

export const NOTHING_DECLARED: DeclaredTools = new Map()

/** `tools.declare` as the guest sent it: the functions of `tools.ts`, which no one has checked before. */
export function declaredTools(args: string): DeclaredTools {
	const { tools } = JSON.parse(args) as { tools?: unknown }
	if (!Array.isArray(tools) || tools.length > TOOLS_MAX)
		throw wrong(`tools must be a list of at most ${TOOLS_MAX}`)
	const declared = new Map<string, DeclaredTool>()
	for (const tool of tools as Partial<ToolDefinition>[]) {
		const { name, description, input } = tool ?? {}
		if (typeof name !== 'string' || !TOOL_NAME.test(name)) {
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
