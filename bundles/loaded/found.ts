/** What programs turned out to be when they were loaded, judged. It comes from the programs: nothing of it is believed. */
import { setImmediate as turn } from 'node:timers/promises'
import { z } from 'zod'
import { addFaults, type BundleFault, FAULTS_MAX, fault, pointerOf } from '../fault.ts'
import { checkSchema } from '../schema/index.ts'
import type { Script } from '../script.ts'
import { type Places, placesOf } from './place.ts'

export type LoadedScript = Pick<Script, 'name' | 'kind' | 'skill' | 'code' | 'map'>

/** A function of `tools.ts` that the model may call. */
export interface OwnTool {
	name: string
	skill: string
	/** Its beginning. */
	description: string
}

/** Names both providers take. */
export const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/
export const TOOLS_MAX = 128
export const DESCRIPTION_MAX_CHARS = 8 * 1024
const SHOWN_CHARS = 200
const MESSAGE_MAX_CHARS = 300
/** Far more than any programs register. */
const FOUND_MAX = 1_000
/** Together, as JSON: each may take a while to check. */
const INPUTS_MAX_CHARS = 512 * 1024

/** As `collector.ts` writes it. */
const foundSchema = z.array(
	z.discriminatedUnion('kind', [
		z.object({ kind: z.literal('agent'), type: z.string().max(20) }),
		z.object({
			kind: z.literal('tool'),
			skill: z.string(),
			name: z.string(),
			run: z.boolean(),
			description: z.unknown().optional(),
			input: z.unknown().optional(),
		}),
	]),
)
type Found = z.infer<typeof foundSchema>
type FoundTool = Extract<Found[number], { kind: 'tool' }>

export async function judgeFound(
	output: string,
	scripts: readonly LoadedScript[],
): Promise<{ faults: BundleFault[]; tools: OwnTool[] }> {
	const found: unknown = JSON.parse(output)
	const parsed = foundSchema.safeParse(Array.isArray(found) && found.length > FOUND_MAX ? null : found)
	if (!parsed.success) return { faults: [fault('', 'its programs changed how they are loaded')], tools: [] }
	const faults: BundleFault[] = []
	const tools = new Map<string, OwnTool>()
	const places = new Map(scripts.map((script) => [script.skill ?? '', placesOf(script)]))
	let left = INPUTS_MAX_CHARS
	for (const one of parsed.data) {
		if (faults.length >= FAULTS_MAX) break
		if (one.kind === 'agent') {
			if (one.type !== 'function') addFaults(faults, [noAgent(one.type, places.get(''))])
			continue
		}
		const { skill, description } = one
		left -= JSON.stringify(one.input ?? null).length
		if (left < 0) {
			faults.push(
				fault('', `the input schemas of its tools are over ${INPUTS_MAX_CHARS / 1024} KiB together`),
			)
			break
		}
		// As the guest program names them.
		const name = tools.has(one.name) ? `${skill}_${one.name}` : one.name
		addFaults(faults, toolFaults(one, name, places.get(skill)))
		if (tools.has(name)) addFaults(faults, [atExport(places.get(skill), one.name, [], 'its name is taken')])
		else tools.set(name, { name: shown(name), skill: shown(skill), description: shown(description) })
		// A schema may take some 50 ms.
		await turn()
	}
	if (tools.size > TOOLS_MAX)
		addFaults(faults, [
			fault('', `its skills have ${tools.size} tools, of which ${TOOLS_MAX} can be offered`),
		])
	return { faults, tools: [...tools.values()].slice(0, TOOLS_MAX) }
}

const shown = (text: unknown) => (typeof text === 'string' ? text.slice(0, SHOWN_CHARS).toWellFormed() : '')

function noAgent(type: string, places: Places | undefined): BundleFault {
	const { file, line } = places?.ofExport('default') ?? { file: 'agent.js', line: null }
	return fault(
		file,
		`the default export is no agent but of type ${type.toWellFormed()}: write export default agent(…)`,
		line,
	)
}

function* toolFaults(tool: FoundTool, name: string, places: Places | undefined): Iterable<BundleFault> {
	const wrong = (path: (string | number)[], message: string) => atExport(places, tool.name, path, message)
	const { description, input } = tool
	if (!TOOL_NAME.test(name)) yield wrong([], 'the name of a tool is 1–64 letters, digits, _ and -')
	if (!tool.run) yield wrong(['run'], 'a tool needs a function `run`')
	if (typeof description !== 'string' || description.trim() === '')
		yield wrong(['description'], 'a tool needs a description, which the model reads')
	else if (description.length > DESCRIPTION_MAX_CHARS)
		yield wrong(['description'], `is over ${DESCRIPTION_MAX_CHARS} characters`)
	if (typeof input !== 'object' || input === null || Array.isArray(input))
		yield wrong(['input'], 'a tool needs an input schema, an object')
	else for (const { path, message } of checkSchema(input)) yield wrong(['input', ...path], message)
}

function atExport(
	places: Places | undefined,
	name: string,
	path: (string | number)[],
	message: string,
): BundleFault {
	const { file, line } = places?.ofExport(name) ?? { file: '', line: null }
	const pointer = pointerOf([shown(name), ...path])
		.slice(0, SHOWN_CHARS)
		.toWellFormed()
	return fault(file, message.slice(0, MESSAGE_MAX_CHARS).toWellFormed(), line, pointer)
}
