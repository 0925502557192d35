import type { AssistantMessage, Message } from '../../wire/model.ts'

/** What only one provider can read in an answer, marked with the key that it was made with. */
export function sealedBy(credential: string, message: AssistantMessage): AssistantMessage {
	const { provider } = message
	if (typeof provider !== 'object' || provider === null) return message
	return { ...message, provider: { ...provider, from: credential } }
}

/** Another key's provider would refuse it: there the answer goes without. */
export function sealedFor(credential: string, messages: Message[]): Message[] {
	return messages.map((message) => {
		if (message.role !== 'assistant') return message
		const { provider, ...plain } = message
		const from = (provider as { from?: unknown } | null | undefined)?.from
		return from === undefined || from === credential ? message : plain
	})
}
