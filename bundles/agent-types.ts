import type { Agent } from './agent.ts'
import type { ParsedAgent } from './agent-yaml.ts'
import { connectorSlug } from './connector-url.ts'
import { programOf } from './folder.ts'
import { typeText } from './schema/index.ts'
import { isObject } from './schema/relocate.ts'

/** Where an editor finds them, from the agent's folder. */
export const TYPES_FILE = 'types/agent.d.ts'

const typed = ['inputs', 'output', 'requires', 'models'] as const
type TypedMembers = Pick<Agent, (typeof typed)[number]>

/** Of an agent whose other members may be wrong. Null: one of those that types are made of is. */
export function typedMembers({ sound, faults }: ParsedAgent): TypedMembers | null {
	const wrong = faults.some(({ pointer }) => typed.some((member) => `${pointer}/`.startsWith(`/${member}/`)))
	// What is left out stands for its default, which no text can be wrong about.
	return wrong || !('inputs' in sound && 'requires' in sound) ? null : (sound as TypedMembers)
}

/** What agent.yaml and the names of the programs say, for the types of the package `berth`. `paths`: of the agent. */
export function agentTypes(agent: TypedMembers, paths: Iterable<string>): string {
	const programs = [...paths].filter((path) => programOf(path, 'ts')?.kind === 'tools').sort()
	const own = programs.map((path) => `keyof typeof import('../${path}')`)
	const members = [
		['inputs', saysNothing(agent.inputs) ? 'any' : typeText(agent.inputs, { completed: true })],
		['given', typeText(agent.inputs, { given: true })],
		['output', agent.output ? typeText(agent.output) : 'string'],
		[
			'connectorTools',
			connectorTools(agent)
				.map((name) => JSON.stringify(name))
				.join(' | ') || 'never',
		],
		['ownTools', own.join(' | ') || 'never'],
		[
			'models',
			Object.keys(agent.models ?? {})
				.map((name) => JSON.stringify(name))
				.join(' | ') || 'never',
		],
	]
	return `// Written by Berth from agent.yaml and the names of tools.ts. \`berth dev\` and \`berth test\` write it anew.
import 'berth'

declare module 'berth' {
	interface Agent {
${members.map(([name, type]) => `\t\t${name}: ${type}`).join('\n')}
	}
}
`
}

/** Every object is right: the program knows better. */
const saysNothing = ({ properties = {}, additionalProperties }: Agent['inputs']) =>
	isObject(properties) && Object.keys(properties).length === 0 && additionalProperties !== false

/** As a program calls them: of two with one name, each is `<slug>__<name>`. */
function connectorTools({ requires }: TypedMembers): string[] {
	const all = requires.flatMap(({ connector, tools }) => tools.map((name) => ({ connector, name })))
	return all.map(({ connector, name }) =>
		all.filter((other) => other.name === name).length === 1 && /^[a-zA-Z0-9_-]{1,64}$/.test(name)
			? name
			: `${connectorSlug(connector)}__${name.replace(/[^a-zA-Z0-9_-]/g, '_')}`,
	)
}
