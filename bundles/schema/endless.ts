import { placeOf } from './place.ts'
import { isObject } from './relocate.ts'

/** Keywords whose schemas hold for the same value, whatever it is. */
const single = ['if', 'not']
const lists = ['allOf', 'anyOf', 'oneOf']

/** Of a schema with a reference: whether that leads back to it with the same value. Nothing could be held against it. */
export function endless(root: unknown): (node: object) => boolean {
	const circles = new Set<unknown>()
	const open: unknown[] = []
	const places = new Map<unknown, number>()
	const done = new Set<unknown>()

	function visit(node: unknown): void {
		if (!isObject(node) || done.has(node)) return
		const at = places.get(node)
		if (at !== undefined) {
			for (const one of open.slice(at)) circles.add(one)
			return
		}
		places.set(node, open.length)
		open.push(node)
		if (typeof node.$ref === 'string') visit(placeOf(root, node.$ref))
		for (const name of single) visit(node[name])
		for (const name of lists) if (Array.isArray(node[name])) node[name].forEach(visit)
		open.pop()
		places.delete(node)
		done.add(node)
	}

	return (node) => {
		visit(node)
		return circles.has(node)
	}
}
