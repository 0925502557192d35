import type postgres from 'postgres'

// Postgres arrays, as text. Left to itself the driver asks every new connection for the array types, and where that
// connection is lost just then, nobody catches the failure and the process ends. Those we use are known.

const QUOTE = 34
const BACKSLASH = 92

/** Any below the space. */
const control = /[^ -\uffff]/

/**
 * Journals are full of quotes: a loop makes three texts for each of them, `JSON.stringify` one in all. It writes as
 * Postgres reads, but for control characters and half surrogate pairs.
 */
function quoted(text: string): string {
	return control.test(text) || !text.isWellFormed() ? quotedByHand(text) : JSON.stringify(text)
}

function quotedByHand(text: string): string {
	let out = '"'
	let from = 0
	for (let i = 0; i < text.length; i++) {
		const code = text.charCodeAt(i)
		if (code !== QUOTE && code !== BACKSLASH) continue
		out += `${text.slice(from, i)}\\`
		from = i
	}
	return `${out}${text.slice(from)}"`
}

function write(values: readonly unknown[]): string {
	const items = values.map((value) => {
		if (value === null || value === undefined) return 'null'
		if (value instanceof Date) return quoted(value.toISOString())
		return typeof value === 'string' ? quoted(value) : String(value)
	})
	return `{${items.join(',')}}`
}

/** One item of an array's text: quoted, with escapes, or plain up to the next comma. */
const item = /"((?:[^"\\]|\\.)*)"|([^,{}]+)/gs

function read<T>(text: string, parse: (item: string) => T): (T | null)[] {
	return [...text.matchAll(item)].map(([, inQuotes, plain]) => {
		if (inQuotes !== undefined) return parse(inQuotes.replace(/\\(.)/gs, '$1'))
		return plain === 'NULL' ? null : parse(plain as string)
	})
}

const arrayOf = <T>(oid: number, parse: (item: string) => T): postgres.PostgresType => ({
	to: oid,
	from: [oid],
	serialize: write,
	parse: (text: string) => read(text, parse),
})

/** One dimension; by the name of what is in them. */
export const arrays = {
	booleans: arrayOf(1000, (item) => item === 't'),
	ints: arrayOf(1007, Number),
	texts: arrayOf(1009, String),
	varchars: arrayOf(1015, String),
	bigints: arrayOf(1016, Number),
	reals: arrayOf(1021, Number),
	floats: arrayOf(1022, Number),
	times: arrayOf(1185, (item) => new Date(item)),
	numerics: arrayOf(1231, String),
}
