/** Stack traces for the owner: places in compiled scripts become places in the files they were written in. */
import { type FindPlace, readMap } from '../../../bundles/index.ts'

/** A place in a script as isolates name it (runtime/sandbox/isolates.ts): `berth:agent.js:12:5`. */
const PLACE = /berth:([^\s()]{1,1024}?):(\d{1,9}):(\d{1,9})/g
const STACK_MAX_CHARS = 16 * 1024

export type Stacks = (stack: string) => string

/** Of one bundle. A map is read when a stack first leads into its script, and then kept with the bundle. */
export function stacksOf(scripts: readonly { name: string; map?: string }[]): Stacks {
	const found = new Map<string, FindPlace>()
	const finderOf = (name: string) => {
		const known = found.get(name)
		if (known) return known
		const map = scripts.find((script) => script.name === name)?.map
		if (map === undefined) return undefined
		const finder = readMap(map)
		found.set(name, finder)
		return finder
	}
	return (stack) =>
		stack
			.slice(0, STACK_MAX_CHARS)
			.toWellFormed()
			.replace(PLACE, (_, name: string, line: string, column: string) => {
				const place = finderOf(name)?.(Number(line), Number(column))
				return place ? `${place.file}:${place.line}:${place.column}` : `${name}:${line}:${column}`
			})
}
