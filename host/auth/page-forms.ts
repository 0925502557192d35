import type { App } from '../http/route.ts'
import { requireSameOrigin } from './cookies.ts'

const formMaxBytes = 4_096

/** A scope for pages: reads the forms of plain HTML, and refuses those that come from another site. */
export function pageForms(scope: App, baseUrl: string): void {
	scope.addContentTypeParser(
		'application/x-www-form-urlencoded',
		{ parseAs: 'string', bodyLimit: formMaxBytes },
		(_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(body as string))),
	)
	scope.addHook('onRequest', async (request) => requireSameOrigin(baseUrl, request))
}
