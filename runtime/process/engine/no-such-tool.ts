/** The answer to a call of a tool that the agent does not have: with what it has, a model can correct itself. */
const NAME_MAX_CHARS = 200
const NAMES_TOLD = 50

export function noSuchTool(name: string, tools: readonly { name: string }[]): string {
	const names = tools.slice(0, NAMES_TOLD).map((tool) => tool.name)
	const more = tools.length > NAMES_TOLD ? ` and ${tools.length - NAMES_TOLD} more` : ''
	const has = names.length === 0 ? 'none' : `${names.join(', ')}${more}`
	return `${name === '' ? 'The call names no tool' : `There is no tool ${shownName(name)}`}; the agent has ${has}.`
}

/** The name is whatever a model or a program wrote. */
export const shownName = (name: string) => name.slice(0, NAME_MAX_CHARS).toWellFormed()
