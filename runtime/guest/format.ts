/** The words of one `console` line, with Node's directives: `%s %d %i %f %j %o %O %c %%`. */
import { show, toJson } from './inspect.ts'

const DIRECTIVE = /%[sdifjoOc%]/g

export function format(values: readonly unknown[]): string {
	const [first] = values
	if (values.length === 1) return show(first)
	if (typeof first !== 'string' || !first.includes('%')) return values.map(show).join(' ')
	let used = 1
	const text = first.replace(DIRECTIVE, (directive) => {
		if (directive === '%%') return '%'
		return used < values.length ? put(directive, values[used++]) : directive
	})
	return [text, ...values.slice(used).map(show)].join(' ')
}

function put(directive: string, value: unknown): string {
	if (directive === '%c') return ''
	if (directive === '%j') return toJson(value)
	if (directive === '%d') return numberOf(value, Number)
	if (directive === '%i') return numberOf(value, (text) => Number.parseInt(text, 10))
	if (directive === '%f') return numberOf(value, Number.parseFloat)
	return show(value)
}

/** An object is no number: to ask it would run its code. */
function numberOf(value: unknown, read: (text: string) => number): string {
	if (typeof value === 'bigint') return show(value)
	const plain = typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean'
	return plain ? String(read(String(value))) : 'NaN'
}
