import type { Effects } from '../../wire/effects.ts'
import type { HttpAnswer } from './send.ts'

export type HttpReply = Effects['http']['reply']

/** Those that belong to the connection, and cookies: a session of the origin's is no matter of a program or its journal. */
const WITHHELD = new Set([
	...['connection', 'keep-alive', 'proxy-authenticate', 'set-cookie', 'set-cookie2', 'te', 'trailer'],
	...['transfer-encoding', 'upgrade'],
])

/** What a program gets. `scrub` takes secrets out of a text. */
export function replyOf({ status, headers, body }: HttpAnswer, scrub: (text: string) => string): HttpReply {
	const shown = Object.fromEntries(
		Object.entries(headers).flatMap(([name, value]) => {
			if (value === undefined || WITHHELD.has(name)) return []
			return [[scrub(name), scrub(typeof value === 'string' ? value : value.join(', '))]]
		}),
	)
	const text = textOf(body)
	if (text !== undefined) return { status, headers: shown, text: scrub(text) }
	// One character a byte: secrets are found in it as they stand there.
	const bytes = Buffer.from(scrub(body.toString('latin1')), 'latin1')
	return { status, headers: shown, base64: bytes.toString('base64') }
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Undefined where it is no UTF-8. */
function textOf(body: Buffer): string | undefined {
	try {
		return decoder.decode(body)
	} catch {
		return undefined
	}
}
