import { createHash } from 'node:crypto'

/**
 * RFC 8785. Numbers and strings are serialised as ECMAScript does, which is what the RFC asks; what is left is the
 * order of members (by UTF-16 code units, JavaScript's own string order) and the refusal of what JSON cannot carry.
 */
export function canonicalJson(value: unknown): string {
	if (typeof value === 'string') {
		if (!value.isWellFormed()) throw new TypeError('a lone surrogate cannot be canonical JSON')
		return JSON.stringify(value)
	}
	if (typeof value === 'number') {
		if (!Number.isFinite(value)) throw new TypeError(`${value} cannot be JSON`)
		return JSON.stringify(value)
	}
	if (value === null || typeof value === 'boolean') return String(value)
	if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
	if (typeof value !== 'object') throw new TypeError(`a ${typeof value} cannot be JSON`)
	const members = Object.entries(value)
		.filter(([, member]) => member !== undefined)
		.sort(([a], [b]) => (a < b ? -1 : 1))
		.map(([name, member]) => `${canonicalJson(name)}:${canonicalJson(member)}`)
	return `{${members.join(',')}}`
}

export function sha256(data: Uint8Array | string): string {
	return createHash('sha256').update(data).digest('hex')
}
