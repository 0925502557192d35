/**
 * A context serves another run if the run before it has changed nothing that the two would have in common: every object
 * that can be reached from the globals has the keys, values and prototype that it had before any code of the owner ran.
 * What only a definition can change is noticed as it is defined.
 */
import { EffectFailure } from './bridge.ts'
import { contextLog } from './console.ts'
import { define } from './globals.ts'

const { apply, getOwnPropertyDescriptor, getPrototypeOf, isExtensible, ownKeys } = Reflect
const { freeze, is, isFrozen } = Object
const { exec } = RegExp.prototype

/** Their prototypes hang on no global name. */
const UNNAMED: object[] = [
	...[() => {}, async () => {}, function* () {}, async function* () {}],
	...[''[Symbol.iterator](), [].values(), new Map().values(), new Set().values(), ''.matchAll(/x/g)],
	...[[][Symbol.iterator]().map(() => 0), Iterator.from({ next: () => ({ done: true, value: 0 }) })],
	...[EffectFailure, contextLog],
]
/** The same; a snapshot cannot hold these. */
function segments(): object[] {
	const made = new Intl.Segmenter().segment('')
	return [made, made[Symbol.iterator]()]
}

/** Of one object, as it was. Getters are functions: what they answer is their object's. */
interface Known {
	object: object
	prototype: object | null
	keys: PropertyKey[]
	values: unknown[]
	/** Key, getter and setter after one another. */
	accessors: unknown[]
	/** Of keys. */
	count: number
}

/** Of the snapshot, so that a context need not find them out. */
let known: Known[] = []
let remembered = false
let defined = false

/** Built-in functions take no members of their own, and what defines members tells of it. At the making of the snapshot. */
export function watchDefinitions(): void {
	for (const one of reachable([globalThis, ...UNNAMED])) if (isPlain(one)) freeze(one.object)
	for (const [owner, name] of [
		[Object, 'defineProperty'],
		[Object, 'defineProperties'],
		[Reflect, 'defineProperty'],
		[Object.prototype, '__defineGetter__'],
		[Object.prototype, '__defineSetter__'],
	] as const)
		define(owner, name, told((owner as unknown as Record<string, never>)[name]!))
	known = reachable([globalThis, ...UNNAMED])
}

/** Proxied, so that name, length and text stay those of a built-in. */
function told(definer: (...args: unknown[]) => unknown): unknown {
	const handler = {
		__proto__: null,
		apply(_: unknown, self: unknown, args: unknown[]) {
			if (remembered && !defined) defined = isKnown(args[0]) || isKnown(self)
			return apply(definer, self, args)
		},
	}
	return freeze(new Proxy(freeze(definer), handler as ProxyHandler<typeof definer>))
}

function isKnown(object: unknown): boolean {
	for (let i = 0; i < known.length; i++) if (known[i]!.object === object) return true
	return false
}

/** Before any code of the owner has run in this context. V8 has added to it since the snapshot. Answers `remembered`. */
export function remember(): string {
	const same = known.filter(isAsItWas)
	const anew = known.filter((one) => !same.includes(one)).map(({ object }) => object)
	known = [...same, ...reachable([...anew, ...segments()], new Set(same.map(({ object }) => object)))]
	remembered = true
	defined = false
	return 'remembered'
}

/** No code of the owner is called, but a getter where there was a value. */
export function isUnchanged(): boolean {
	if (!remembered || defined) return false
	// `RegExp.$1` and its like tell of the last match.
	apply(exec, /(?:)/, [''])
	for (let i = 0; i < known.length; i++) if (!isAsItWas(known[i]!)) return false
	return !defined
}

function isAsItWas({ object, prototype, keys, values, accessors, count }: Known): boolean {
	if (getPrototypeOf(object) !== prototype || !isExtensible(object)) return false
	if (ownKeys(object).length !== count) return false
	for (let i = 0; i < keys.length; i++) {
		const value = (object as Record<PropertyKey, unknown>)[keys[i]!]
		if (value !== values[i] && !is(value, values[i])) return false
	}
	for (let i = 0; i < accessors.length; i += 3) {
		const now = getOwnPropertyDescriptor(object, accessors[i] as PropertyKey)
		if (!now || now.get !== accessors[i + 1] || now.set !== accessors[i + 2]) return false
	}
	return true
}

function isPlain({ object, keys, count }: Known): boolean {
	if (typeof object !== 'function' || keys.length !== count) return false
	return keys.every((key) => key === 'length' || key === 'name')
}

/** All but what is frozen. */
function reachable(begin: object[], seen = new Set<unknown>()): Known[] {
	const next: unknown[] = begin
	const all: Known[] = []
	while (next.length > 0) {
		const object = next.pop() as object | null
		if ((typeof object !== 'object' && typeof object !== 'function') || object === null || seen.has(object))
			continue
		seen.add(object)
		const prototype = getPrototypeOf(object)
		next.push(prototype)
		if (isFrozen(object)) continue
		const names = ownKeys(object)
		const one: Known = { object, prototype, keys: [], values: [], accessors: [], count: names.length }
		for (const key of names) {
			const { value, get, set } = getOwnPropertyDescriptor(object, key)!
			if (get || set) one.accessors.push(key, get, set)
			else {
				one.keys.push(key)
				one.values.push(value)
			}
			next.push(value, get, set)
		}
		all.push(one)
	}
	return all
}
