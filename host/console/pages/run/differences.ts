export interface Difference {
	/** JSON pointer. */
	path: string
	before: unknown
	after: unknown
}

const most = 50
const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null

/** Where two JSON values differ, the first of them. */
export function differencesOf(before: unknown, after: unknown): Difference[] {
	const found: Difference[] = []
	compare('', before, after, found)
	return found
}

function compare(path: string, before: unknown, after: unknown, found: Difference[]): void {
	if (found.length >= most || Object.is(before, after)) return
	if (isObject(before) && isObject(after) && Array.isArray(before) === Array.isArray(after)) {
		for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
			compare(`${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, before[key], after[key], found)
		return
	}
	found.push({ path, before, after })
}
