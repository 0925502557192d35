import { z } from 'zod'
import { NoBody } from '../../api/common.ts'
import { Full, isFull, ReplayReport } from '../../api/replay.ts'
import { acceptUploads, openBundle, readUpload } from '../../deployments/index.ts'
import { owner } from '../../http/operation.ts'
import type { App } from '../../http/route.ts'
import type { RunRouteParts } from './parts.ts'
import { replayRun } from './replay.ts'

/** `POST /v1/runs/{run}/replay`, with the run's own bundle or `?version=N`; `…/replay/bundle` takes one that is nowhere yet. */
export function replayRoutes(app: App, parts: RunRouteParts): void {
	const params = z.object({ run: z.string() })
	const response = { 200: ReplayReport }
	app.post(
		'/v1/runs/:run/replay',
		{
			schema: {
				params,
				querystring: z.strictObject({ version: z.coerce.number().int().min(1).optional(), full: Full }),
				body: NoBody,
				response,
			},
			config: {
				...owner(
					'replayRun',
					'Run an ended run again from its journal, and show where it would part from it',
					['conflict'],
				),
				idempotency: false,
			},
		},
		async (request) => {
			const { accountId } = await parts.auth.requireOwner(request)
			const { version, full } = request.query
			const against = version === undefined ? null : { version }
			return replayRun(parts, accountId, request.params.run, { against, full: isFull(full) })
		},
	)
	app.register(async (plugin) => {
		const uploads = plugin as App
		acceptUploads(uploads, parts.auth)
		uploads.post(
			'/v1/runs/:run/replay/bundle',
			{
				schema: { params, response },
				config: {
					...owner('replayRunWithBundle', 'The same with a bundle that is not deployed', [
						'bundle_invalid',
						'conflict',
					]),
					upload: {},
					idempotency: false,
				},
			},
			async (request) => {
				const { accountId } = await parts.auth.requireOwner(request)
				const upload = await readUpload(request)
				openBundle(upload)
				return replayRun(parts, accountId, request.params.run, {
					against: { bundle: upload.bundle },
					full: false,
				})
			},
		)
	})
}
