/** Where in its owner's file something of a compiled script stands. */
import { pathFault } from '../path.ts'
import type { Script } from '../script.ts'
import { type FindPlace, readMap } from '../source-map.ts'

export interface Where {
	file: string
	/** Null where it is not known. */
	line: number | null
}

export interface Places {
	/** The file as a whole. */
	file: string
	/** Of an export, by its name; `default` is what `agent.ts` gives. */
	ofExport(name: string): Where
	/** The first place of this script in a stack trace, or in the message of a syntax error. */
	inStack(stack: string): Where
}

const MEMBER = /^[A-Za-z_$][\w$]{0,199}$/
/** In a longer script no export is looked for: anyone's bundle may have it. */
const CODE_MAX_CHARS = 2 * 1024 * 1024
const STACK_MAX_CHARS = 16 * 1024

export function placesOf({ name, code, map }: Pick<Script, 'name' | 'code' | 'map'>): Places {
	const file = map === undefined ? name : name.replace(/\.js$/, '.ts')
	let finder: FindPlace | undefined
	const exports = new Map<string, Where>()
	const at = (line: number, column: number): Where | undefined => {
		if (map === undefined) return { file, line }
		finder ??= readMap(map)
		const place = finder(line, column)
		return place && pathFault(place.file) === null ? place : undefined
	}
	const unknown: Where = { file, line: null }
	return {
		file,
		ofExport(exported) {
			const known = exports.get(exported)
			if (known) return known
			const offset = definition(code, exported)
			const where = (offset !== undefined && at(...lineAndColumn(code, offset))) || unknown
			exports.set(exported, where)
			return where
		},
		inStack(stack) {
			const places = stack.slice(0, STACK_MAX_CHARS).matchAll(/berth:([^\s()]{1,1024}?):(\d{1,9}):(\d{1,9})/g)
			for (const [, script, line, column] of places) {
				const place = script === name ? at(Number(line), Number(column)) : undefined
				if (place) return { file: place.file, line: place.line }
			}
			return unknown
		},
	}
}

/** As esbuild writes it: `exported: () => local` names the variable, `var local = …` is where it gets its value. */
function definition(code: string, exported: string): number | undefined {
	if (!MEMBER.test(exported) || code.length > CODE_MAX_CHARS) return undefined
	const escaped = exported.replaceAll('$', '\\$')
	const named =
		exported === 'default'
			? /\b__berth\.agent\(([\w$]{1,200})\)/.exec(code)
			: new RegExp(`(?<![\\w$])${escaped}: \\(\\) => ([\\w$]{1,200})`).exec(code)
	const local = named?.[1]?.replaceAll('$', '\\$')
	if (!local) return undefined
	const found = new RegExp(
		`^[ \\t]*(?:var|let|const|(?:async )?function\\*?|class) ${local}(?![\\w$])`,
		'm',
	).exec(code)
	return found ? found.index + (/\S/.exec(found[0])?.index ?? 0) : undefined
}

function lineAndColumn(code: string, offset: number): [line: number, column: number] {
	const before = code.slice(0, offset).split('\n')
	return [before.length, (before.at(-1)?.length ?? 0) + 1]
}
