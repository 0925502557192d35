import { isObject } from './relocate.ts'

/** Keywords whose values are no schemas. */
const data = new Set(['const', 'default', 'enum', 'examples'])

/** What a reference within `root` leads to: by JSON Pointer, or by `$anchor`. Undefined: nothing, or another document. */
export function placeOf(root: unknown, ref: string): unknown {
	if (!ref.startsWith('#')) return undefined
	if (ref !== '#' && !ref.startsWith('#/')) return anchored(root, ref.slice(1))
	let at = root
	for (const part of ref.split('/').slice(1)) {
		const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~')
		if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined
		at = at[name as keyof typeof at]
	}
	return at
}

/** Schemas by their anchors, read once: a list may ask for one with each of its items. */
const known = new WeakMap<object, Map<unknown, object>>()

function anchored(root: unknown, anchor: string): unknown {
	if (!isObject(root)) return undefined
	const anchors = known.get(root) ?? new Map<unknown, object>()
	if (!known.has(root)) {
		collect(root, anchors)
		known.set(root, anchors)
	}
	return anchors.get(anchor)
}

function collect(node: unknown, anchors: Map<unknown, object>): void {
	if (typeof node !== 'object' || node === null) return
	if ('$anchor' in node && !anchors.has(node.$anchor)) anchors.set(node.$anchor, node)
	for (const [name, member] of Object.entries(node)) if (!data.has(name)) collect(member, anchors)
}

function decoded(part: string): string {
	try {
		return decodeURIComponent(part)
	} catch {
		return part
	}
}
