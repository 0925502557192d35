import { isMap, isPair, isScalar, type Node } from 'yaml'
import { type Agent, agentSchema, SCREEN_TOOL } from './agent.ts'
import { type Finding, shapeFindings, soundMembers } from './agent-shape.ts'
import { canonicalUrl, connectorKey, connectorSlug, toolKey } from './connector-url.ts'
import { type BundleFault, FAULTS_MAX, fault, pointerOf } from './fault.ts'
import { lowerFiles } from './file-schema.ts'
import { httpRules } from './http.ts'
import { modelRules } from './model.ts'
import { modelLists } from './model-lists.ts'
import { checkSchema } from './schema/check.ts'
import { URL_MAX_LETTERS } from './text.ts'
import { plainWords } from './words.ts'
import { readYaml, type YamlText } from './yaml.ts'

export const AGENT_FILE = 'agent.yaml'

export interface ParsedAgent {
	agent: Agent | null
	/** Its members that are right in themselves. */
	sound: Partial<Agent>
	faults: BundleFault[]
	/** Line of a member of the document, for faults found later. */
	lineOf(path: readonly PropertyKey[]): number | null
}

const AGENT_MAX_BYTES = 512 * 1024

/** Reads `agent.yaml`; faults are told with their lines, syntax first because nothing else can be read then. */
export function parseAgent(text: string): ParsedAgent {
	const yaml = readYaml(AGENT_FILE, text, AGENT_MAX_BYTES)
	if (yaml.faults.length > 0)
		return { agent: null, sound: {}, faults: yaml.faults, lineOf: (path) => lineOfNode(yaml, path) }
	const { value: listed, written } = modelLists(yaml.document.toJS())
	const { agent: value, findings } = lowerFiles(listed)
	const lineOf = (path: readonly PropertyKey[]) => lineOfNode(yaml, written(path))
	const tell = (findings: Finding[]) =>
		findings
			.slice(0, FAULTS_MAX)
			.map(({ path, message }) => fault(AGENT_FILE, message, lineOf(path), pointerOf(written(path))))
	const parsed = agentSchema.safeParse(value, { error: plainWords })
	if (parsed.success)
		return {
			agent: parsed.data,
			sound: parsed.data,
			faults: tell([...findings, ...rules(parsed.data)]),
			lineOf,
		}
	const sound = soundMembers(value)
	const wrong = shapeFindings(value, parsed.error.issues)
	return { agent: null, sound, faults: tell([...wrong, ...findings, ...rulesOf(sound)]), lineOf }
}

/** Without these, the rules of a member would find faults that are none. */
const beside: Record<string, (keyof Agent)[]> = {
	tools: ['requires'],
	connectors: ['requires'],
}
/** Made with the first fault: to parse with a schema compiles it, which most starts of a process can do without. */
let filler: Agent | undefined

/** Those that stand whatever the other members are. */
function rulesOf(sound: Partial<Agent>): Finding[] {
	const stands = (member: string) => [member, ...(beside[member] ?? [])].every((one) => one in sound)
	filler ??= agentSchema.parse({ name: 'filler', model: { provider: 'openai', name: 'filler' } })
	return rules({ ...filler, ...sound }).filter(({ path }) => stands(String(path[0])))
}

/** What a shape cannot say. */
function rules(agent: Agent): Finding[] {
	const findings: Finding[] = []
	if (agent.inputs.type !== 'object')
		findings.push({ path: ['inputs', 'type'], message: 'inputs must have `type: object`' })
	for (const member of ['inputs', 'output'] as const) {
		const schema = agent[member]
		if (!schema) continue
		for (const { path, message } of checkSchema(schema)) findings.push({ path: [member, ...path], message })
	}
	const offered = new Set<string>()
	const seen = new Map<string, number>()
	for (const [index, { connector, tools }] of agent.requires.entries()) {
		const path = ['requires', index]
		try {
			// Percent-encoded it may be nine times as long; names in the database and in addresses are made of it.
			if (canonicalUrl(connector).length > URL_MAX_LETTERS)
				throw new Error(`is over ${URL_MAX_LETTERS} characters once it is percent-encoded`)
		} catch (error) {
			findings.push({ path: [...path, 'connector'], message: (error as Error).message })
			continue
		}
		const slug = connectorSlug(connector)
		const before = seen.get(slug)
		if (before !== undefined)
			findings.push({ path: [...path, 'connector'], message: `is the connector of entry ${before} again` })
		seen.set(slug, index)
		for (const [position, tool] of tools.entries()) {
			if (tools.indexOf(tool) !== position)
				findings.push({ path: [...path, 'tools', position], message: `"${tool}" is listed twice` })
			offered.add(`${slug}/${tool}`)
		}
	}
	const settled = new Map<string, string>()
	for (const key of Object.keys(agent.tools)) {
		const { connector, tool } = toolKey(key)
		const before = settled.get(`${connector}/${tool}`)
		// Of two spellings of one tool, one would silently undo what the other asks for.
		if (before !== undefined)
			findings.push({ path: ['tools', key], message: `is the tool of "${before}" again: write one entry` })
		settled.set(`${connector}/${tool}`, key)
		if (!offered.has(`${connector}/${tool}`)) {
			findings.push({
				path: ['tools', key],
				message: `"${key}" names no tool of \`requires\` (write <connector name or URL>/<tool>)`,
			})
		}
	}
	return [
		...findings,
		...modelRules(agent, new Set(agent.requires.flatMap(({ tools }) => tools))),
		...connectorSettings(agent, new Set(seen.keys())),
		...screening(agent),
		...httpRules(agent.http),
	]
}

function connectorSettings({ connectors = {} }: Agent, required: ReadonlySet<string>): Finding[] {
	const settled = new Map<string, string>()
	return Object.keys(connectors).flatMap((key) => {
		const path = ['connectors', key]
		const slug = connectorKey(key)
		const before = settled.get(slug)
		settled.set(slug, key)
		if (before !== undefined)
			return [{ path, message: `is the connector of "${before}" again: write one entry` }]
		return required.has(slug) ? [] : [{ path, message: `"${key}" names no connector of \`requires\`` }]
	})
}

/** What is to be screened needs the one guard that does it: a setting that nobody can obey is refused. */
function screening({ requires, tools }: Agent): Finding[] {
	const guards = requires.filter((entry) => entry.tools.includes(SCREEN_TOOL)).length
	return Object.entries(tools).flatMap(([key, { screen }]) => {
		if (!screen) return []
		const path = ['tools', key, 'screen']
		if (toolKey(key).tool === SCREEN_TOOL) return [{ path, message: 'the guard does not screen itself' }]
		if (guards === 1) return []
		const message =
			guards === 0
				? `needs the guard: \`requires\` lists ${SCREEN_TOOL} at no connector`
				: `needs one guard: \`requires\` lists ${SCREEN_TOOL} at ${guards} connectors`
		return [{ path, message }]
	})
}

/** The line of the member itself, or of the nearest thing around it that stands in the text. */
function lineOfNode({ document, lineAt }: YamlText, path: readonly PropertyKey[]): number {
	let node: unknown = document.contents
	let offset = 0
	for (const part of path) {
		if (isMap(node)) {
			const pair = node.items.find(
				(item) => isPair(item) && (isScalar(item.key) ? String(item.key.value) : '') === String(part),
			)
			if (!pair) break
			offset = (pair.key as Node).range?.[0] ?? offset
			node = pair.value
		} else {
			const item = (node as { items?: unknown[] } | null)?.items?.[Number(part)] as Node | undefined
			if (!item) break
			offset = item.range?.[0] ?? offset
			node = item
		}
	}
	return lineAt(offset)
}
