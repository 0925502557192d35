import type { IncomingMessage, ServerResponse } from 'node:http'

/** Lets pages of any origin read the answer. True: the request asked only whether they may, and is answered. */
export function allowPages(request: IncomingMessage, response: ServerResponse): boolean {
	response.setHeader('access-control-allow-origin', '*')
	response.setHeader('access-control-expose-headers', 'www-authenticate')
	if (request.method !== 'OPTIONS') return false
	response.setHeader('access-control-allow-headers', '*, authorization')
	response.writeHead(204).end()
	return true
}
