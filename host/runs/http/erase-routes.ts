import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { sharedNow } from '../../../runtime/lib/clock.ts'
import { ErasedRun } from '../../api/runs.ts'
import { noteReceipt } from '../../auth/index.ts'
import { notFound, Problem } from '../../http/errors.ts'
import { owner } from '../../http/operation.ts'
import type { App } from '../../http/route.ts'
import { noSuchRun } from '../live/expiry.ts'
import { readRun, readRunOf } from '../live/read.ts'
import type { RunRecord } from '../live/types.ts'
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
			return erased(parts, request, run)
		},
	)
	app.delete(
		'/v1/runs/:run',
		{
			schema: { params: z.object({ run: z.string() }), response: { 200: ErasedRun } },
			config: owner('eraseAccountRun', 'Erase an ended run by its id alone, of a deleted deployment too', [
				'conflict',
			]),
		},
		async (request) => {
			const { accountId } = await parts.auth.requireOwner(request)
			const found = await readRunOf(parts.sql, parts.config, accountId, request.params.run)
			if (!found) throw notFound('There is no such run.')
			return erased(parts, request, found.record)
		},
	)
}

async function erased(
	{ sql }: RunRouteParts,
	request: FastifyRequest,
	run: RunRecord,
): Promise<z.infer<typeof ErasedRun>> {
	if (!isTerminal(run))
		throw new Problem('conflict', 'The run has not ended. Cancel it first, then erase it.')
	const ended = {
		id: run.id,
		deployment_id: run.deployment,
		created_at: new Date(run.created_at),
		completed_at: new Date(run.completed_at ?? sharedNow()),
	}
	const { runs, ...rows } = await sql.begin((tx) => eraseRuns(tx, [ended], { journal: true }))
	// Somebody else erased it just now.
	if (runs === 0) throw notFound('There is no such run.')
	noteReceipt(request, rows)
	return { run: run.id, erased_at: new Date(sharedNow()).toISOString(), request_id: request.id, ...rows }
}
