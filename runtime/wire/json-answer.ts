const FENCE = '```'

/** The JSON of a model's answer, with or without a fence around it; nothing where it is none. */
export function jsonOf(text: string): { value: unknown } | undefined {
	try {
		return { value: JSON.parse(unfenced(text)) }
	} catch {
		return undefined
	}
}

/** Without a regular expression: on a text that is nearly a fence one would take the cube of its length. */
function unfenced(text: string): string {
	const whole = text.trim()
	const first = whole.indexOf('\n')
	if (first === -1 || !whole.startsWith(FENCE) || !whole.endsWith(FENCE)) return text
	const label = whole.slice(FENCE.length, first).trim()
	return label === '' || label === 'json' ? whole.slice(first, -FENCE.length) : text
}
