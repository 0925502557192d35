import type { ModelCall } from '../../client/index.ts'

interface Message {
	role?: unknown
	content?: unknown
	name?: unknown
	tool_calls?: { name?: unknown; input?: unknown }[]
}

/** What a model was sent, to be read below its event. */
export function requestLines({ system, messages, tools }: ModelCall): string {
	const said = (messages as Message[]).flatMap(({ role, name, content, tool_calls = [] }) => [
		part(role === 'tool' ? `tool ${name}` : String(role), String(content)),
		...tool_calls.map((call) => part(`calls ${call.name}`, JSON.stringify(call.input))),
	])
	const offered = tools.map(({ name, description, input }) =>
		part(`may call ${name}`, `${description}\n${JSON.stringify(input)}`),
	)
	return [part('system', system), ...offered, ...said].filter(Boolean).join('\n')
}

function part(name: string, text: string): string {
	return text === '' ? '' : `      ${name}: ${text.replace(/\n/g, '\n        ')}`
}
