export interface Difference {
	/** JSON Pointer (RFC 6901). */
	path: string
	/** Absent where there is nothing on that side. */
	locked?: unknown
	offered?: unknown
}

/** Where two JSON values differ, as deep as both are objects. */
export function differenceOf(locked: unknown, offered: unknown, path = ''): Difference[] {
	if (isObject(locked) && isObject(offered)) {
		const names = new Set([...Object.keys(locked), ...Object.keys(offered)])
		return [...names].flatMap((name) =>
			differenceOf(locked[name], offered[name], `${path}/${name.replace(/~/g, '~0').replace(/\//g, '~1')}`),
		)
	}
	if (JSON.stringify(locked) === JSON.stringify(offered)) return []
	return [{ path, ...(locked !== undefined && { locked }), ...(offered !== undefined && { offered }) }]
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value)
}
