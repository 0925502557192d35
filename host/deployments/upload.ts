import type { FastifyRequest } from 'fastify'
import { PACKED_MAX_BYTES } from '../../bundles/index.ts'
import { Problem } from '../errors.ts'
import type { App } from '../http.ts'

/** The bundle, and some room for the other members. */
export const uploadMaxBytes = PACKED_MAX_BYTES + 64 * 1024

export interface Upload {
	bundle: Uint8Array
	fields: Record<string, string>
}

/** Lets this plugin's routes take `multipart/form-data`; the platform's own parser reads it. */
export function acceptUploads(app: App): void {
	app.addContentTypeParser(
		'multipart/form-data',
		{ parseAs: 'buffer', bodyLimit: uploadMaxBytes },
		(_request, body, done) => done(null, body),
	)
	// The refusal of a body that is too large names the route's own limit.
	app.addHook('onRoute', (route) => {
		if (route.config && 'upload' in route.config) route.bodyLimit = uploadMaxBytes
	})
}

/** One file `bundle`, and text members of which each is named once. */
export async function readUpload(request: FastifyRequest): Promise<Upload> {
	if (!Buffer.isBuffer(request.body)) {
		throw new Problem('invalid_request', 'Send multipart/form-data with a file `bundle`.')
	}
	const headers = { 'content-type': request.headers['content-type'] ?? '' }
	const form = await new Response(new Uint8Array(request.body), { headers }).formData().catch((cause) => {
		throw new Problem('invalid_request', 'The body is not well-formed multipart/form-data.', { cause })
	})
	const fields: Record<string, string> = {}
	let bundle: Uint8Array | null = null
	for (const [name, value] of form) {
		if (name in fields || (name === 'bundle' && bundle)) {
			throw new Problem('invalid_request', `The member \`${name}\` is sent twice.`)
		}
		if (name === 'bundle' && typeof value !== 'string') bundle = new Uint8Array(await value.arrayBuffer())
		else if (typeof value === 'string') fields[name] = value
		else throw new Problem('invalid_request', `The file \`${name}\` is not expected.`)
	}
	if (!bundle) throw new Problem('invalid_request', 'The file `bundle` is missing.')
	return { bundle, fields }
}
