import { parseSync } from 'oxc-parser'
import { textOf } from './files.ts'

/** Of a file in whose text `pattern` is found; of all others none, because parsing takes most of the time. */
export function commentsWith(path: string, pattern: RegExp): string[] {
	const text = textOf(path)
	return text.search(pattern) === -1 ? [] : parseSync(path, text).comments.map(({ value }) => value)
}
