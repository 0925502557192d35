import type { Agent } from './agent.ts'
import { AGENT_FILE, parseAgent } from './agent-yaml.ts'
import { addFaults, type BundleFault, fault } from './fault.ts'
import { parseSkill, type Skill } from './skill.ts'

/** An agent's files, read: from a commit when a bundle is built, from the bundle when it is used. */
export interface AgentFolder {
	agent: Agent
	prompt: string
	skills: Skill[]
	memory: Record<string, string>
}

const SKILL_FILE = /^skills\/([^/]+)\/SKILL\.md$/
const REFERENCE = /^skills\/([^/]+)\/(references\/.+)$/
const MEMORY = /^memory\/(.+)$/

/** Whether a file is part of the agent as it stands (programs are part of it compiled). */
export function isPart(path: string, prompt: string): boolean {
	return (
		path === AGENT_FILE ||
		path === prompt ||
		SKILL_FILE.test(path) ||
		REFERENCE.test(path) ||
		MEMORY.test(path)
	)
}

/** `tools.ts` of a skill or `agent.ts`; in a bundle they end in `.js`. */
export function programOf(
	path: string,
	ending: 'ts' | 'js',
): { kind: 'tools'; skill: string } | { kind: 'agent' } | null {
	if (path === `agent.${ending}`) return { kind: 'agent' }
	const skill = new RegExp(`^skills/([^/]+)/tools\\.${ending}$`).exec(path)?.[1]
	return skill ? { kind: 'tools', skill } : null
}

/** Reads and checks everything that can be checked without running it; all faults at once. */
export function readFolder(files: Map<string, Uint8Array>): {
	folder: AgentFolder | null
	/** Members of agent.yaml that are right in themselves. */
	sound: Partial<Agent>
	faults: BundleFault[]
} {
	const faults: BundleFault[] = []
	const text = (path: string) => decode(path, files.get(path) as Uint8Array, faults)
	if (!files.has(AGENT_FILE))
		return { folder: null, sound: {}, faults: [fault(AGENT_FILE, 'there is no agent.yaml')] }
	const parsed = parseAgent(text(AGENT_FILE))
	addFaults(faults, parsed.faults)

	const skills = new Map<string, Skill>()
	const memory: Record<string, string> = {}
	const folders = new Set<string>()
	for (const path of [...files.keys()].sort()) {
		const folderName = /^skills\/([^/]+)\//.exec(path)?.[1]
		if (folderName) folders.add(folderName)
		const own = SKILL_FILE.exec(path)?.[1]
		if (own) {
			const { skill, faults: found } = parseSkill(path, own, text(path))
			addFaults(faults, found)
			if (skill) skills.set(own, { ...skill, references: {} })
		}
		const remembered = MEMORY.exec(path)?.[1]
		if (remembered) memory[remembered] = text(path)
	}
	for (const path of [...files.keys()].sort()) {
		const [, name, inside] = REFERENCE.exec(path) ?? []
		const skill = skills.get(name ?? '')
		if (skill && inside) skill.references[inside] = text(path)
	}
	for (const name of folders) {
		if (!files.has(`skills/${name}/SKILL.md`))
			faults.push(fault(`skills/${name}`, 'the skill has no SKILL.md'))
	}

	const { agent, sound } = parsed
	const { prompt: path, inputs } = sound
	let prompt = ''
	if (path !== undefined && files.has(path)) {
		prompt = text(path)
		if (inputs) addFaults(faults, placeholders(path, prompt, inputs))
	} else if (path !== undefined)
		faults.push(fault(AGENT_FILE, `there is no file ${path}`, parsed.lineOf(['prompt']), '/prompt'))
	const folder = agent && { agent, prompt, skills: [...skills.values()], memory }
	return { folder, sound, faults }
}

/** `{{name}}` in the prompt must be an input of the agent. */
function* placeholders(file: string, prompt: string, inputs: Agent['inputs']): Iterable<BundleFault> {
	const known = inputs.properties
	const names = typeof known === 'object' && known !== null ? known : {}
	for (const [index, line] of prompt.split('\n').entries()) {
		for (const [, name = ''] of line.matchAll(/\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}/g)) {
			if (!Object.hasOwn(names, name)) yield fault(file, `{{${name}}} is no input of the agent`, index + 1)
		}
	}
}

function decode(path: string, bytes: Uint8Array, faults: BundleFault[]): string {
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
	} catch {
		faults.push(fault(path, 'is not UTF-8 text'))
		return ''
	}
}
