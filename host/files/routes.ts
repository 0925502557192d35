import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { z } from 'zod'
import { StoredFile } from '../api/files.ts'
import type { Caller } from '../auth/index.ts'
import { notRunning } from '../deployments/index.ts'
import { notFound, Problem } from '../http/errors.ts'
import { runKey } from '../http/operation.ts'
import type { App } from '../http/route.ts'
import type { FileParts } from './parts.ts'
import { findFiles } from './read.ts'
import { sendFile } from './serve.ts'
import { storeFile } from './store.ts'
import { takeUpload } from './under-way.ts'

/** Files for runs, and of them. */
export function fileRoutes(root: App, { sql, at, auth }: FileParts): void {
	root.register(async (app: App) => {
		app.removeAllContentTypeParsers()
		app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
		app.post(
			'/d/:slug/files',
			{
				schema: {
					params: z.object({ slug: z.string() }),
					querystring: z.strictObject({ name: z.string().min(1).max(1000).default('file') }),
					response: { 201: StoredFile },
				},
				config: {
					...runKey('uploadFile', 'Store a file, for the inputs of runs', [
						'payload_too_large',
						'deployment_not_running',
					]),
					agent: true,
					bytes: 'request',
				},
			},
			async (request, reply) => {
				const deployment = await at(request, request.params.slug)
				const caller = await auth.requireAgentCaller(request, deployment, 'run')
				if (deployment.state !== 'running') throw notRunning(deployment.state)
				const type = typeSaid(request.headers)
				const lineage = caller.kind === 'owner' ? null : caller.key.lineage
				const file = {
					...{ account: deployment.accountId, deployment: deployment.id, lineage },
					name: request.query.name,
					type,
					bytes: (request.body ?? []) as Readable,
				}
				const stored = await takeUpload(request, { deployment, caller }, () => storeFile(sql, file))
				return reply.code(201).send({ ...stored, url: `${deployment.url}/files/${stored.file}` })
			},
		)
	})
	root.get(
		'/d/:slug/files/:file',
		{
			schema: { params: z.object({ slug: z.string(), file: z.string() }) },
			config: {
				...runKey('getFile', 'The bytes of a file; `Range` gives a part', ['precondition_failed']),
				agent: true,
				bytes: 'answer',
				headers: {
					Range: 'One range of bytes: 206 with that part',
					'If-Range': 'An ETag: without it, `Range` does not count',
					'If-Match': 'ETags, of which the file must have one',
					'If-None-Match': 'ETags that are there already: 304 where the file has one of them',
				},
			},
		},
		async (request, reply) => {
			const deployment = await at(request, request.params.slug)
			const caller = await auth.requireAgentCaller(request, deployment, 'read')
			const [file] = await findFiles(sql, { deployment, lineage: seenBy(caller) }, [request.params.file])
			if (!file) throw notFound('There is no such file. Files end with the runs that have them.')
			return sendFile(sql, request, reply, file) as never
		},
	)
}

/** Whose files it reads; undefined: all of the deployment. */
function seenBy(caller: Caller): string | null | undefined {
	if (caller.kind === 'owner') return caller.agent ? null : undefined
	return caller.key.scopes.includes('read:all') ? undefined : caller.key.lineage
}

/** curl says of any bytes that they are a form. */
function typeSaid(headers: IncomingHttpHeaders): string | undefined {
	const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
	if (type === 'multipart/form-data')
		throw new Problem('invalid_request', 'Send the bytes of the file as the body, or a form to /run.')
	return type === 'application/x-www-form-urlencoded' ? undefined : type
}
