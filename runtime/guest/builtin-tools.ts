/** The tools of the standard loop: `skill` (a skill's text, then its files) and `memory`. An export of the same name wins. */
import { memoryTool } from './memory-tool.ts'
import type { LocalTool, RunState } from './state.ts'

export function addBuiltinTools(run: RunState): void {
	const { skills, memory } = run.agent
	if (skills.length > 0 && !run.tools.has('skill')) run.tools.set('skill', skillTool(run))
	if (memory && !run.tools.has('memory')) run.tools.set('memory', memoryTool(run))
}

/** First of three stages: the model sees names and descriptions, and asks for the rest when a task needs it. */
export function skillsSection({ agent: { skills } }: RunState): string {
	if (skills.length === 0) return ''
	const list = skills.map(({ name, description }) => `- ${name}: ${description}`)
	return [
		'',
		'',
		'# Skills',
		'Instructions for particular tasks. Before a task that fits one, read it with the `skill` tool.',
		...list,
	].join('\n')
}

const skillTool = ({ agent: { skills } }: RunState): LocalTool => ({
	description: 'Reads a skill: its instructions, or with `path` one of the files they refer to.',
	input: {
		type: 'object',
		required: ['name'],
		additionalProperties: false,
		properties: { name: { type: 'string' }, path: { type: 'string' } },
	},
	run({ name, path }: { name: string; path?: string }) {
		const skill = skills.find((one) => one.name === name)
		if (!skill)
			throw new Error(`there is no skill ${name}; there are: ${skills.map((one) => one.name).join(', ')}`)
		const files = Object.keys(skill.references)
		if (path !== undefined) {
			if (!Object.hasOwn(skill.references, path)) {
				throw new Error(`${name} has no file ${path}; it has: ${files.join(', ') || 'none'}`)
			}
			return skill.references[path]
		}
		return files.length === 0 ? skill.body : `${skill.body}\n\nFiles of this skill: ${files.join(', ')}`
	},
})
