/**
 * Any value as text for a person. It is JSON wherever JSON loses nothing, so that logs can be searched as before, and a
 * description elsewhere. Reading a value may run code of the owner, within the turn. What that throws is caught.
 */
const MAX_CHARS = 8_000
const MAX_DEPTH = 16
const UNSHOWN = '[cannot be shown]'

const { stringify } = JSON
const { keys, getPrototypeOf } = Object
const { isArray } = Array
const { isView } = ArrayBuffer
const [NativeError, NativeTypeError, NativeMap, NativeSet, NativeRegExp] = [
	Error,
	TypeError,
	Map,
	Set,
	RegExp,
]

interface Text {
	text: string
	readonly maxChars: number
	/** The text is to be JSON: descriptions become strings. */
	readonly json: boolean
	/** Objects that the value at hand is in. */
	readonly within: object[]
}

export function show(value: unknown): string {
	try {
		if (typeof value === 'string') return value
		if (value instanceof NativeError) return headOf(value)
	} catch {
		return UNSHOWN
	}
	const { text } = written(value, MAX_CHARS, false)
	return text.length > MAX_CHARS ? brokenOff(text, MAX_CHARS) : text
}

/** JSON, with descriptions of what JSON has no form for. Over `maxChars` it breaks off and is none. */
export function showJson(value: unknown, maxChars: number): string {
	return written(value, maxChars, true).text
}

/** JSON of what a program or a tool gives back. Throws the cause where it has none. */
export function jsonOfReturned(value: unknown): string {
	try {
		return stringify(value) ?? 'null'
	} catch (error) {
		throw new NativeTypeError(`It returned a value that is not JSON: ${causeOf(error)}`)
	}
}

/** JSON of anything that is logged: what cannot be written becomes its description. */
export function toJson(value: unknown): string {
	try {
		return stringify(value) ?? 'null'
	} catch (error) {
		return stringify(`[not JSON: ${causeOf(error)}]`)
	}
}

function causeOf(error: unknown): string {
	try {
		return error instanceof NativeError ? String(error.message) : 'it throws'
	} catch {
		return 'it throws'
	}
}

export function cut(text: string, maxChars: number): string {
	if (text.length <= maxChars) return text
	return `${text.slice(0, maxChars).toWellFormed()} … [${text.length - maxChars} more characters]`
}

/** How much more there would be is not known. */
export function brokenOff(text: string, maxChars: number): string {
	return `${text.slice(0, maxChars).toWellFormed()} …`
}

function written(value: unknown, maxChars: number, json: boolean): Text {
	const to: Text = { text: '', maxChars, json, within: [] }
	write(to, value)
	return to
}

function write(to: Text, value: unknown): void {
	const { length } = to.text
	const depth = to.within.length
	try {
		if (typeof value === 'string') to.text += stringify(value.slice(0, to.maxChars + 1))
		else if (typeof value === 'object' && value !== null) writeObject(to, value)
		else if (to.json && (value === undefined || (typeof value === 'number' && !Number.isFinite(value))))
			to.text += 'null'
		else if (typeof value === 'bigint') describe(to, `${value}n`)
		else if (typeof value === 'function') describe(to, `[Function ${value.name || '(anonymous)'}]`)
		else if (typeof value === 'symbol') describe(to, String(value))
		else to.text += String(value)
	} catch {
		to.text = to.text.slice(0, length)
		describe(to, UNSHOWN)
	}
	to.within.length = depth
}

function writeObject(to: Text, value: object): void {
	if (to.within.includes(value)) describe(to, '[Circular]')
	else if (value instanceof NativeError) describe(to, `[${headOf(value)}]`)
	else if (to.within.length >= MAX_DEPTH) describe(to, isArray(value) ? '[Array]' : '[Object]')
	else {
		to.within.push(value)
		const own = (value as { toJSON?: unknown }).toJSON
		const given: unknown = typeof own === 'function' ? own.call(value, '') : value
		if (typeof given === 'object' && given !== null) writeParts(to, given)
		else write(to, given)
	}
}

function writeParts(to: Text, value: object): void {
	if (value instanceof NativeRegExp) describe(to, String(value))
	else if (value instanceof NativeMap || value instanceof NativeSet) writeCollection(to, value)
	else if (isArray(value)) writeList(to, value, '[', ']')
	else if (isView(value) && 'length' in value && !to.json) {
		to.text += `${classOf(value)}(${value.length}) `
		writeList(to, value as never, '[', ']')
	} else writeMembers(to, value as Record<string, unknown>)
}

function writeCollection(to: Text, value: Map<unknown, unknown> | Set<unknown>): void {
	if (to.json) {
		const inner: Text = { ...to, text: '', json: false }
		writeCollection(inner, value)
		to.text += stringify(inner.text)
		return
	}
	to.text += `${classOf(value)}(${value.size}) `
	if (value instanceof NativeSet) writeList(to, value, '{', '}')
	else
		writeList(to, value, '{', '}', ([key, item]) => {
			write(to, key)
			to.text += ' => '
			write(to, item)
		})
}

function writeList<T>(
	to: Text,
	list: Iterable<T>,
	open: string,
	close: string,
	one = (item: T) => write(to, item),
): void {
	let between = open
	for (const item of list) {
		if (to.text.length > to.maxChars) break
		to.text += between
		one(item)
		between = ','
	}
	to.text += between === open ? open + close : close
}

function writeMembers(to: Text, value: Record<string, unknown>): void {
	const name = to.json ? '' : classOf(value)
	if (name !== '' && name !== 'Object') to.text += `${name} `
	let between = '{'
	for (const key of keys(value)) {
		if (to.text.length > to.maxChars) break
		const item = memberOf(value, key)
		if (to.json && item === undefined) continue
		to.text += `${between}${stringify(key)}:`
		write(to, item)
		between = ','
	}
	to.text += between === '{' ? '{}' : '}'
}

function memberOf(value: Record<string, unknown>, key: string): unknown {
	try {
		return value[key]
	} catch {
		return UNSHOWN
	}
}

function describe(to: Text, text: string): void {
	to.text += to.json ? stringify(text) : text
}

/** Of the prototype: a member `constructor` is data. */
function classOf(value: object): string {
	const name: unknown = getPrototypeOf(value)?.constructor?.name
	return typeof name === 'string' ? name : ''
}

function headOf({ name, message }: Error): string {
	return `${name}: ${message}`
}
