import { Problem } from '../http/errors.ts'
import { NO_MEDIA_TYPE } from '../http/validation.ts'

// What a file is: its bytes decide where they can, and what its sender says only within that.

/** So many of its first bytes say what it is. */
export const headBytes = 16

const ascii = (text: string) => Buffer.from(text, 'latin1')
const begins: readonly [type: string, magic: Buffer, at?: number][] = [
	['image/png', ascii('\x89PNG\r\n\x1a\n')],
	['image/jpeg', ascii('\xff\xd8\xff')],
	['image/gif', ascii('GIF8')],
	['image/webp', ascii('WEBP'), 8],
	['application/pdf', ascii('%PDF-')],
	['application/zip', ascii('PK\x03\x04')],
	['application/gzip', ascii('\x1f\x8b')],
	['audio/wav', ascii('WAVE'), 8],
	['audio/mpeg', ascii('ID3')],
]
const known = new Set(begins.map(([type]) => type))
/** Files of these kinds are zip archives. Nothing here unpacks one. */
const inZip = /^application\/(?:zip|epub\+zip|java-archive|vnd\.|x-)/
const texts =
	/^(?:text\/|application\/(?:json|xml|yaml|javascript|[a-z0-9.+-]+\+(?:json|xml))$|image\/svg\+xml$)/
const mediaType = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,62}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,62}$/
const anything = 'application/octet-stream'
const nameMaxLetters = 200

/** Its media type, without parameters. Throws where its bytes are of another kind than was said. */
export function kindOf(said: string | undefined, head: Buffer): string {
	const declared = (said ?? '').split(';', 1)[0]?.trim().toLowerCase() || anything
	if (!mediaType.test(declared)) throw new Problem('invalid_request', NO_MEDIA_TYPE)
	const found = begins.find(([, magic, at = 0]) => head.subarray(at, at + magic.length).equals(magic))?.[0]
	if (!found) {
		if (known.has(declared)) throw otherKind(declared, 'no such file')
		return declared
	}
	if (declared === found || declared === anything) return found
	if (found === 'application/zip' && inZip.test(declared)) return declared
	throw otherKind(declared, found)
}

const otherKind = (declared: string, found: string) =>
	new Problem('invalid_request', `The file is sent as ${declared}; its bytes are ${found}.`)

export const isText = (type: string) => texts.test(type)

/** Of one that a browser may be told of: it runs none of these. */
const inert = new Set([
	'image/png',
	'image/jpeg',
	'image/gif',
	'image/webp',
	'application/pdf',
	'text/plain',
	'text/csv',
])
export const servedAs = (type: string) => (inert.has(type) ? type : anything)

/** The last part of a path, without what cannot be seen. */
export function nameOf(said: string): string {
	const last = said.normalize('NFC').split(/[/\\]/).at(-1) ?? ''
	const name = last.replace(/[\p{C}\p{Zl}\p{Zp}"]/gu, '').trim()
	return /^\.*$/.test(name) ? 'file' : name.slice(0, nameMaxLetters).toWellFormed()
}
