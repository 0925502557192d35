import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { NoBody } from '../api/common.ts'
import * as api from '../api/deployments.ts'
import { VersionDetail } from '../api/versions.ts'
import { owner } from '../http/operation.ts'
import type { App } from '../http/route.ts'
import { activityOf } from './activity.ts'
import { createDeployment } from './create.ts'
import { dryRun } from './dry-run.ts'
import type { DeploymentParts } from './parts.ts'
import { patchDeployment } from './patch.ts'
import { deleteDeployment } from './remove.ts'
import { startDeployment } from './start.ts'
import { cancelDeployment, stopDeployment } from './stop.ts'
import { type DeploymentRow, listDeployments, ownDeployment } from './store.ts'
import { acceptUploads, readUpload } from './upload.ts'
import { readVersion } from './version-detail.ts'
import { activateVersion, addVersion, dryVersion, listVersions } from './versions.ts'
import { viewDeployment } from './view.ts'

const byId = z.object({ id: z.string() })
const byVersion = z.object({
	id: z.string(),
	version: z.coerce
		.number()
		.int()
		.min(1)
		.max(2 ** 31 - 1),
})

/** `/v1/deployments` and what is below it, but for webhooks. */
export function deploymentRoutes(app: App, parts: DeploymentParts): void {
	const caller = async (request: FastifyRequest) => (await parts.auth.requireOwner(request)).accountId

	app.get(
		'/v1/deployments',
		{
			schema: { querystring: api.DeploymentQuery, response: { 200: api.DeploymentPage } },
			config: owner('listDeployments', 'Your deployments, newest first'),
		},
		async (request) => {
			const { limit, ...query } = request.query
			const rows = await listDeployments(parts.sql, await caller(request), { limit, ...query })
			const shown = await withActivity(parts, rows.slice(0, limit))
			return { data: shown, next_cursor: rows.length > limit ? (shown.at(-1)?.id ?? null) : null }
		},
	)
	app.get(
		'/v1/deployments/:id',
		{
			schema: { params: byId, response: { 200: api.DeploymentWithActivity } },
			config: owner('getDeployment', 'One deployment'),
		},
		async (request) => {
			const row = await ownDeployment(parts.sql, await caller(request), request.params.id)
			const [shown] = await withActivity(parts, [row])
			return shown as api.DeploymentWithActivity
		},
	)
	app.patch(
		'/v1/deployments/:id',
		{
			schema: { params: byId, body: api.PatchDeployment, response: { 200: api.Deployment } },
			config: owner('changeDeployment', 'Change name or budgets', ['name_taken']),
		},
		async (request) => patchDeployment(parts, await caller(request), request.params.id, request.body),
	)
	app.delete(
		'/v1/deployments/:id',
		{
			schema: { params: byId, response: { 204: z.undefined() } },
			config: owner('deleteDeployment', 'Stop it, and erase its keys and credentials', [
				'conflict',
				'wrong_place',
			]),
		},
		async (request, reply) => {
			await deleteDeployment(parts, await caller(request), request.params.id)
			return reply.code(204).send()
		},
	)
	lifecycleRoutes(app, parts, caller)
	app.register(async (uploads) => uploadRoutes(uploads as App, parts, caller))
}

async function withActivity(
	parts: DeploymentParts,
	rows: DeploymentRow[],
): Promise<api.DeploymentWithActivity[]> {
	const ids = rows.map(({ id }) => id)
	const activity = await activityOf(parts.sql, ids)
	return rows.map((row) => ({
		...viewDeployment(parts.places, row),
		activity: activity.get(row.id) as api.Activity,
	}))
}

type Caller = (request: FastifyRequest) => Promise<string>

function lifecycleRoutes(app: App, parts: DeploymentParts, caller: Caller): void {
	app.post(
		'/v1/deployments/:id/start',
		{
			schema: { params: byId, body: NoBody, response: { 200: api.StartedDeployment } },
			config: owner('startDeployment', 'Start it; at the first start the run key is shown, once', [
				'credentials_missing',
				'credential_rejected',
				'platform_provider_refused',
				'running_agent_limit_reached',
				'conflict',
				'wrong_place',
			]),
		},
		async (request) => startDeployment(parts, await caller(request), request.params.id),
	)
	app.post(
		'/v1/deployments/:id/stop',
		{
			schema: { params: byId, body: api.StopDeployment, response: { 200: api.StoppedDeployment } },
			config: owner('stopDeployment', 'Let runs in flight finish for a while, then stop', [
				'conflict',
				'wrong_place',
			]),
		},
		async (request) =>
			stopDeployment(parts, await caller(request), request.params.id, request.body.drain_seconds),
	)
	app.post(
		'/v1/deployments/:id/cancel',
		{
			schema: { params: byId, body: NoBody, response: { 200: api.Deployment } },
			config: owner('cancelDeployment', 'End a deployment that was never started, or whose creation failed', [
				'conflict',
			]),
		},
		async (request) => cancelDeployment(parts, await caller(request), request.params.id),
	)
	versionRoutes(app, parts, caller)
}

const dryRunQuery = z.strictObject({ dry_run: z.enum(['true', 'false']).default('false') })

function versionRoutes(app: App, parts: DeploymentParts, caller: Caller): void {
	app.get(
		'/v1/deployments/:id/versions',
		{
			schema: { params: byId, response: { 200: api.VersionList } },
			config: owner('listVersions', 'Its versions, newest first'),
		},
		async (request) => ({ data: await listVersions(parts, await caller(request), request.params.id) }),
	)
	app.get(
		'/v1/deployments/:id/versions/:version',
		{
			schema: { params: byVersion, response: { 200: VersionDetail } },
			config: owner('getVersion', 'What a version is: model, prompt, skills, connectors, files', [
				'bundle_invalid',
			]),
		},
		async (request) => readVersion(parts, await caller(request), request.params.id, request.params.version),
	)
	app.post(
		'/v1/deployments/:id/versions/:version/activate',
		{
			schema: {
				params: byVersion,
				body: NoBody,
				response: { 200: api.ActivatedDeployment },
			},
			config: owner('activateVersion', 'Roll back, or forward again', [
				'bundle_invalid',
				'platform_provider_refused',
				'conflict',
			]),
		},
		async (request) =>
			activateVersion(parts, await caller(request), request.params.id, request.params.version),
	)
}

function uploadRoutes(app: App, parts: DeploymentParts, caller: Caller): void {
	acceptUploads(app, parts.auth)
	app.post(
		'/v1/deployments',
		{
			schema: {
				querystring: dryRunQuery,
				response: { 200: api.DryRun, 201: api.CreatedDeployment },
			},
			config: {
				...owner('createDeployment', 'Deploy a bundle; with dry_run only say what would be wrong', [
					'bundle_invalid',
					'platform_provider_refused',
					'running_agent_limit_reached',
					'name_taken',
					'conflict',
				]),
				upload: { name: true, place: false },
			},
		},
		async (request, reply) => {
			const accountId = await caller(request)
			const upload = await readUpload(request)
			if (request.query.dry_run === 'true') return dryRun(parts, accountId, upload, request.id)
			return reply.code(201).send(await createDeployment(parts, accountId, upload))
		},
	)
	app.post(
		'/v1/deployments/:id/versions',
		{
			schema: {
				params: byId,
				querystring: dryRunQuery,
				response: { 200: z.union([api.ActivatedDeployment, api.DryRun]), 201: api.ActivatedDeployment },
			},
			config: {
				...owner(
					'createVersion',
					'A new bundle, active at once; 200 where it is the active one already, or with dry_run',
					['bundle_invalid', 'platform_provider_refused', 'conflict'],
				),
				upload: {},
			},
		},
		async (request, reply) => {
			const accountId = await caller(request)
			const { id } = request.params
			const upload = await readUpload(request)
			if (request.query.dry_run === 'true') return dryVersion(parts, accountId, id, upload, request.id)
			const { added, deployment } = await addVersion(parts, accountId, id, upload)
			return reply.code(added ? 201 : 200).send(deployment)
		},
	)
}
