/**
 * Source maps (ECMA-426) of compiled programs. A map stands in the last line of its script, as every tool that reads
 * JavaScript knows it, so a Berth that knows nothing of maps reads the bundle as well.
 */

const COMMENT = '\n//# sourceMappingURL=data:application/json;base64,'
/** Of the map's JSON. A script with a larger one goes without. */
const MAP_MAX_BYTES = 1024 * 1024
const SOURCE_MAX_CHARS = 1024

/** `map`: as esbuild wrote it; `nameOf`: a source's path as its author knows it. */
export function withMap(code: string, map: string, nameOf: (source: string) => string): string {
	const { sources, mappings } = JSON.parse(map) as { sources: string[]; mappings: string }
	const text = Buffer.from(JSON.stringify({ version: 3, sources: sources.map(nameOf), names: [], mappings }))
	return text.length > MAP_MAX_BYTES ? code : `${code.trimEnd()}${COMMENT}${text.toString('base64')}\n`
}

/** A script of a bundle without its map, which an isolate has no use for. */
export function splitMap(script: string): { code: string; map?: string } {
	const at = script.lastIndexOf(COMMENT)
	const base64 = at === -1 ? '' : script.slice(at + COMMENT.length).trimEnd()
	return /^[A-Za-z0-9+/=]+$/.test(base64) ? { code: script.slice(0, at + 1), map: base64 } : { code: script }
}

export interface SourcePosition {
	file: string
	line: number
	column: number
}

/** Lines and columns count from 1, as in a stack trace. */
export type FindPlace = (line: number, column: number) => SourcePosition | undefined

/** `map`: from a bundle of anyone. One that breaks the rules leads nowhere, or to a wrong place of its own owner's. */
export function readMap(map: string): FindPlace {
	const { sources, segments } = parse(map)
	return (line, column) => {
		const i = FIELDS * lastUpTo(segments, line - 1, column - 1)
		const file = segments[i] === line - 1 ? sources[segments[i + 2] ?? -1] : undefined
		if (typeof file !== 'string' || file.length > SOURCE_MAX_CHARS) return undefined
		return { file, line: (segments[i + 3] ?? 0) + 1, column: (segments[i + 4] ?? 0) + 1 }
	}
}

/** Of a segment: line and column in the script, source, line and column there. */
const FIELDS = 5

function parse(map: string): { sources: unknown[]; segments: Int32Array } {
	const none = { sources: [], segments: new Int32Array(0) }
	if (map.length > (MAP_MAX_BYTES / 3) * 4 + 4) return none
	try {
		const { sources, mappings } = JSON.parse(Buffer.from(map, 'base64').toString()) as Record<string, unknown>
		return Array.isArray(sources) && typeof mappings === 'string'
			? { sources, segments: decode(mappings) }
			: none
	} catch {
		return none
	}
}

const DIGITS = new Uint8Array(128)
for (const [i, char] of Buffer.from(
	'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
).entries())
	DIGITS[char] = i
const [COMMA, SEMICOLON] = [','.charCodeAt(0), ';'.charCodeAt(0)]

/** Every field but the line is the difference to the one before, as a base64 VLQ. Numbers, not objects: a map may be large. */
function decode(mappings: string): Int32Array {
	const segments = new Int32Array(FIELDS * ((mappings.match(/[,;]/g)?.length ?? 0) + 1))
	const now = [0, 0, 0, 0, 0]
	let [filled, field, value, shift] = [0, 1, 0, 0]
	for (let i = 0; i <= mappings.length; i++) {
		const char = i < mappings.length ? mappings.charCodeAt(i) : SEMICOLON
		if (char !== COMMA && char !== SEMICOLON) {
			const digit = DIGITS[char] ?? 0
			value |= (digit & 31) << shift
			shift += 5
			if (digit & 32) continue
			if (field < FIELDS) now[field]! += value & 1 ? -(value >>> 1) : value >>> 1
			field++
			value = shift = 0
			continue
		}
		// One field alone is code without a source.
		if (field >= FIELDS) {
			segments.set(now, filled)
			filled += FIELDS
		}
		field = 1
		if (char === COMMA) continue
		now[0]!++
		now[1] = 0
	}
	return segments.slice(0, filled)
}

/** Index of the last segment that is not after the place; segments stand in the script's order. */
function lastUpTo(segments: Int32Array, line: number, column: number): number {
	let [low, high] = [0, segments.length / FIELDS]
	while (low < high) {
		const middle = (low + high) >>> 1
		const at = segments[FIELDS * middle]!
		if (at < line || (at === line && segments[FIELDS * middle + 1]! <= column)) low = middle + 1
		else high = middle
	}
	return low - 1
}
