import { type Command, InvalidArgumentError } from 'commander'
import { type Io, table } from './io.ts'

interface Page<T> {
	data: T[]
	/** Null or missing: this is all there is. */
	next_cursor?: string | null
}

interface Columns<T> {
	/** What a person is told in place of an empty table. */
	none: string
	head: string[]
	row(item: T): string[]
}

export interface PageOptions {
	limit?: number
	cursor?: string
}

/** Every list as JSON is `{data, next_cursor}`, as the API answers it. */
export function tellList<T>(io: Io, page: Page<T>, { none, head, row }: Columns<T>): void {
	tellListAs(io, page, () => (page.data.length === 0 ? none : table([head, ...page.data.map(row)])))
}

/** The same, where people are shown more than a table. */
export function tellListAs<T>(io: Io, { data, next_cursor = null }: Page<T>, text: () => string): void {
	io.result({ data, next_cursor }, text)
	if (next_cursor !== null && !io.json) io.note(`There are more: --cursor ${next_cursor}`)
}

export function paged(command: Command): Command {
	return command
		.option('--limit <n>', 'how many, 1 to 100', whole(1, 100))
		.option('--cursor <cursor>', 'go on after an earlier answer: its next_cursor')
}

/** Some of these words, as `a b` or `a,b`: an option that takes several. */
export function someOf(words: readonly string[]): (text: string, before?: string[]) => string[] {
	return (text, before = []) => {
		const given = text.split(',').filter(Boolean)
		const wrong = given.filter((word) => !words.includes(word))
		if (given.length === 0 || wrong.length > 0)
			throw new InvalidArgumentError(`It takes ${words.join(', ')}.`)
		return [...before, ...given]
	}
}

/** An option's number, so that a wrong one is wrong usage before any host is asked. */
export function whole(min: number, max: number): (text: string) => number {
	return (text) => {
		const n = Number(text)
		if (!/^\d+$/.test(text) || n < min || n > max)
			throw new InvalidArgumentError(`It takes a whole number from ${min} to ${max}.`)
		return n
	}
}
