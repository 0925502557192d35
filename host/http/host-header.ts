import type { IncomingMessage } from 'node:http'

/** Asked of HTTP/1.1, and of nobody to say two (RFC 9112 section 3.2). Node keeps the first of them. */
export function namesHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
	let lines = 0
	for (let n = 0; n < rawHeaders.length; n += 2)
		if (rawHeaders[n]?.length === 4 && rawHeaders[n]?.toLowerCase() === 'host') lines++
	return lines === 1 || (lines === 0 && httpVersion !== '1.1')
}

/** `1.2.3.4:5`, `[2001:db8::1]:5`, `[2001:db8::1]`. */
const withPort = /^(?:(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}|\[([0-9a-f:.]+)\](?::\d{1,5})?)$/i
/** No IP address is longer, and what is none goes no further into logs. */
const addressMaxLetters = 45

/** Some proxies append ports, which change with each connection: an address is the same caller by any of them. */
export function withoutPorts({ headers }: IncomingMessage): void {
	const given = headers['x-forwarded-for']
	if (typeof given !== 'string') return
	const addresses = given.split(',').map((one) => {
		const [, v4, v6] = withPort.exec(one.trim()) ?? []
		return (v4 ?? v6 ?? one.trim()).slice(0, addressMaxLetters)
	})
	headers['x-forwarded-for'] = addresses.join(', ')
}
