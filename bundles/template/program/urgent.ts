/** What a rule can decide needs no model, and is decided the same way every time. */
export function isUrgent(message: string, topic: string): boolean {
	return topic === 'bug' && /\b(down|outage|lost|cannot log in)\b/i.test(message)
}
