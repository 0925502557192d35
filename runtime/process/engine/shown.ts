/** Of one value shown in an event; what the guest gets and what is replayed is whole. */
export const EVENT_VALUE_MAX_CHARS = 16 * 1024

/** `name` and, where it had to be cut, `truncated: true`: to be spread into the data of an event. */
export function shownText(name: string, text: string): Record<string, unknown> {
	if (text.length <= EVENT_VALUE_MAX_CHARS) return { [name]: text }
	return { [name]: text.slice(0, EVENT_VALUE_MAX_CHARS).toWellFormed(), truncated: true }
}

/** `size`: length of a JSON text known to hold the value, so that a small one is not serialised to be measured. */
export function shownValue(name: string, value: unknown, size: number): Record<string, unknown> {
	if (size <= EVENT_VALUE_MAX_CHARS) return { [name]: value }
	const text = JSON.stringify(value) ?? 'null'
	return text.length <= EVENT_VALUE_MAX_CHARS ? { [name]: value } : shownText(name, text)
}

/** As many of the first as an event shows. */
export function shownList<T>(list: readonly T[]): T[] {
	let left = EVENT_VALUE_MAX_CHARS
	const over = list.findIndex((one) => {
		left -= JSON.stringify(one).length + 1
		return left < 0
	})
	return over === -1 ? [...list] : list.slice(0, over)
}
