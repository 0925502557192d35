import { z } from 'zod'
import { sharedNow } from '../../../runtime/lib/clock.ts'
import { ErasedRun } from '../../api/runs.ts'
import { noteReceipt } from '../../auth/index.ts'
import { Problem } from '../../http/errors.ts'
import { owner } from '../../http/operation.ts'
import type { App } from '../../http/route.ts'
import { noSuchRun } from '../live/expiry.ts'
import { readRun } from '../live/read.ts'
import { isTerminal } from '../live/wait.ts'
import { eraseRuns } from '../retention/erase.ts'
import type { RunRouteParts } from './parts.ts'

/** One ended run, at once and with all that tells of it (spec retention.erase-run). */
export function eraseRunRoutes(app: App, parts: RunRouteParts): void {
	app.delete(
		'/d/:slug/runs/:run',
		{
			schema: { params: z.object({ slug: z.string(), run: z.string() }), response: { 200: ErasedRun } },
			config: owner('eraseRun', 'Erase an ended run, with its journal, decisions and deliveries', [
				'conflict',
			]),
		},
		async (request) => {
			const deployment = await parts.at(request, request.params.slug)
			await parts.auth.requireOwnerAt(request, deployment, 'the erasure of runs')
			const sight = { deployment: deployment.id, lineage: undefined }
			const run = await readRun(parts.sql, sight, request.params.run)
			if (!run) throw noSuchRun(deployment.keptDays)
			if (!isTerminal(run))
				throw new Problem('conflict', 'The run has not ended. Cancel it first, then erase it.')
			const ended = {
				id: run.id,
				deployment_id: run.deployment,
				created_at: new Date(run.created_at),
				completed_at: new Date(run.completed_at ?? sharedNow()),
			}
			const { runs, ...erased } = await eraseRuns(parts.sql, [ended], { journal: true })
			// Somebody else erased it just now.
			if (runs === 0) throw noSuchRun(deployment.keptDays)
			noteReceipt(request, erased)
			return {
				run: run.id,
				erased_at: new Date(sharedNow()).toISOString(),
				request_id: request.id,
				...erased,
			}
		},
	)
}
