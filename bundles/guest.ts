import type { Bundle } from './read.ts'
import type { Script } from './script.ts'

/** What a sandbox is given of a bundle; the runtime's own type has this shape. */
export interface GuestBundle {
	digest: string
	agent: string
	scripts: Omit<Script, 'map'>[]
}

/** The agent as the guest program reads it. Limits stay outside: the runtime holds to them, the guest cannot. */
export interface GuestAgent {
	name: string
	prompt: string
	model: Bundle['agent']['model']
	inputs: object
	output: object | null
	skills: Bundle['skills']
	/** The agent has a `memory/` folder: the standard loop offers the model the `memory` tool. */
	memory: boolean
	requires: { connector: string; tools: string[] }[]
	tools: Bundle['agent']['tools']
}

export function guestBundle(bundle: Bundle): GuestBundle {
	const { agent, prompt, skills, memory } = bundle
	const guest: GuestAgent = {
		name: agent.name,
		prompt,
		model: agent.model,
		inputs: agent.inputs,
		output: agent.output ?? null,
		skills,
		memory: Object.keys(memory).length > 0,
		requires: agent.requires.map(({ connector, tools }) => ({ connector, tools })),
		tools: agent.tools,
	}
	return { digest: bundle.digest, agent: JSON.stringify(guest), scripts: bundle.scripts.map(withoutMap) }
}

function withoutMap({ map: _, ...script }: Script): Omit<Script, 'map'> {
	return script
}
