/**
 * What a program reads of a file. The journal has a stand-in: which file, and which of its bytes. They are the same for
 * ever, so that a program that runs again is given the same content.
 */
import { isUtf8 } from 'node:buffer'
import type { FileInfo } from '../../wire/files.ts'
import type { Effect } from '../../wire/recorded-effect.ts'
import { EffectRejection } from './failure.ts'

/** At once: a program holds it in its own memory. */
export const READ_MAX_BYTES = 4 * 1024 * 1024

export interface StandIn {
	file: FileInfo
	as: 'text' | 'base64'
	start: number
	end: number
}

/** The reply, as JSON. Throws where the bytes are no text. */
export function contentOf({ file, as, start, end }: StandIn, bytes: Buffer): string {
	const part = bytes.subarray(start, end)
	if (as === 'base64') return JSON.stringify({ base64: part.toString('base64') })
	if (isUtf8(part)) return JSON.stringify({ text: part.toString('utf8') })
	throw new EffectRejection('invalid_request', `${file.name} is no UTF-8 text. Read its bytes.`)
}

/** Of an answered effect whose entry has one. */
export function standInOf({ closing }: Pick<Effect, 'closing'>): StandIn | undefined {
	if (!closing?.ok || closing.data.method !== 'files.read') return undefined
	return JSON.parse(closing.result ?? '{}') as StandIn
}
