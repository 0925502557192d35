/** Of text that the interpreter makes; takes it some 50 ms. Schemas in use take a hundredth. */
const COST_MAX_CHARS = 8 * 1024 * 1024

/**
 * Whether making the interpreter itself would take long. It keeps each schema under the pointer to it, so that long names
 * above many schemas are written many times, and goes through what stands below an inner `$id` twice.
 */
export function isCostly(schema: unknown): boolean {
	let cost = 0
	const left: { node: unknown; chars: number; times: number }[] = [{ node: schema, chars: 1, times: 1 }]
	for (let item = left.pop(); item; item = left.pop()) {
		const { node, chars, times } = item
		if (typeof node !== 'object' || node === null) continue
		const again = Object.hasOwn(node, '$id') || Object.hasOwn(node, 'id') ? times * 2 : times
		for (const [name, value] of Object.entries(node)) {
			cost += (chars + name.length) * again
			if (cost > COST_MAX_CHARS) return true
			if (typeof value === 'object') left.push({ node: value, chars: chars + name.length + 1, times: again })
		}
	}
	return false
}
