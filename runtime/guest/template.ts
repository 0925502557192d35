/** The prompt with its inputs, and the inputs as the user's first message. */
import type { Message } from '../../bundles/types/index.d.ts'

/** `{{name}}` stands for an input: a text as it is, anything else as JSON, and nothing where it is left out. The build refuses other names. */
export function renderPrompt(prompt: string, inputs: Record<string, unknown>): string {
	return prompt.replace(/\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}/g, (_, name: string) =>
		Object.hasOwn(inputs, name) ? asText(inputs[name]) : '',
	)
}

/** One text alone is the message itself; several inputs are shown by name. */
export function firstMessage(inputs: Record<string, unknown>): string {
	const names = Object.keys(inputs)
	if (names.length === 0) return 'Begin.'
	if (names.length === 1 && typeof inputs[names[0]!] === 'string') return inputs[names[0]!] as string
	return JSON.stringify(inputs, null, 2)
}

export function asText(value: unknown): string {
	return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

export function asMessages(messages: string | Message[]): Message[] {
	return typeof messages === 'string' ? [{ role: 'user', content: messages }] : messages
}
