/** Text that is HTML already. Only `html` makes it, so it holds nothing of others that is not escaped. */
class Html {
	readonly text: string
	constructor(text: string) {
		this.text = text
	}
}

export type { Html }

/** `false`, `null` and `undefined` are left out, and the parts of a list stand one after another. */
type Part = Html | string | number | false | null | undefined | readonly Part[]

/** A page or a part of one: everything put into the template is escaped, except what this function made itself. */
export function html(literals: TemplateStringsArray, ...parts: Part[]): Html {
	return new Html(literals.reduce((text, literal, at) => text + textOf(parts[at - 1]) + literal))
}

function textOf(part: Part): string {
	if (part instanceof Html) return part.text
	if (typeof part === 'object' && part !== null) return part.map(textOf).join('')
	if (part === undefined || part === null || part === false) return ''
	return String(part).replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}
