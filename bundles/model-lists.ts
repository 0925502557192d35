/**
 * `model: [first, second]` is short for a first model with `fallbacks`, also in `models`. A bundle has the long form;
 * faults are told where they stand in agent.yaml.
 */
export function modelLists(given: unknown): {
	value: unknown
	/** A path of the long form as it is written. */
	written(path: readonly PropertyKey[]): PropertyKey[]
} {
	if (!isObject(given)) return { value: given, written: (path) => [...path] }
	const listed = new Set<string>()
	const long = (value: unknown, at: string) => {
		if (!Array.isArray(value)) return value
		const [first, ...rest] = value
		// What says it twice is left to the schema to refuse.
		if (!isObject(first) || 'fallbacks' in first) return value
		listed.add(at)
		return rest.length === 0 ? first : { ...first, fallbacks: rest }
	}
	const value: Record<string, unknown> = {
		...given,
		...('model' in given && { model: long(given.model, 'model') }),
	}
	if (isObject(given.models)) {
		const named = Object.entries(given.models)
		value.models = Object.fromEntries(named.map(([name, one]) => [name, long(one, `models/${name}`)]))
	}
	return {
		value,
		written(path) {
			const head = path[0] === 'models' ? 2 : 1
			if (!listed.has(path.slice(0, head).join('/'))) return [...path]
			const [member, index, ...rest] = path.slice(head)
			if (member === 'fallbacks' && index === undefined) return path.slice(0, head)
			const isLater = member === 'fallbacks' && typeof index === 'number'
			return isLater
				? [...path.slice(0, head), index + 1, ...rest]
				: [...path.slice(0, head), 0, ...path.slice(head)]
		},
	}
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value)
}
