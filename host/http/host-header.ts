import type { IncomingMessage } from 'node:http'

/** Asked of HTTP/1.1, and of nobody to say two (RFC 9112 section 3.2). Node keeps the first of them. */
export function namesHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
	let lines = 0
	for (let n = 0; n < rawHeaders.length; n += 2)
		if (rawHeaders[n]?.length === 4 && rawHeaders[n]?.toLowerCase() === 'host') lines++
	return lines === 1 || (lines === 0 && httpVersion !== '1.1')
}
