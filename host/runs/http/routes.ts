import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { NoBody } from '../../api/common.ts'
import { Full, isFull } from '../../api/replay.ts'
import * as api from '../../api/runs.ts'
import type { Caller } from '../../auth/index.ts'
import type { Sql } from '../../db/index.ts'
import { type KnownDeployment, notRunning } from '../../deployments/index.ts'
import { readRunForm, takeUpload } from '../../files/index.ts'
import { Problem } from '../../http/errors.ts'
import type { OpenApi } from '../../http/openapi/index.ts'
import { runKey } from '../../http/operation.ts'
import type { App } from '../../http/route.ts'
import { requireNoQuery } from '../../http/validation.ts'
import { acceptRun } from '../accept/accept.ts'
import { cancelRun } from '../live/cancel.ts'
import { noSuchRun } from '../live/expiry.ts'
import { listRuns, reaches, readRun, type Sight } from '../live/read.ts'
import type { RunRecord } from '../live/types.ts'
import { runJson } from '../live/view.ts'
import { waitForEnd } from '../live/wait.ts'
import { answerRun, sendRun } from './answer.ts'
import { cardOf } from './card.ts'
import { runErrors } from './codes.ts'
import { fullEvents } from './full.ts'
import { noSuchEvent, readIdempotencyKey, readLastEventId, readPrefer, wantsStream } from './headers.ts'
import { letInStill } from './let-in.ts'
import type { RunRouteParts } from './parts.ts'
import { streamRun } from './stream.ts'

/** Body of `/run`. */
const runBodyMaxBytes = 1024 * 1024
/** How long a cancel waits for the run's end, before it answers with the run as it stands. */
const cancelWaitMs = 10_000

const modeHeaders = {
	Prefer:
		'`respond-async` answers 202 at once; `wait=N` waits N seconds at most (100 by default, 600 at most), then answers 202. Any other value is ignored. `Preference-Applied` of a 202 says what was applied',
	Accept: '`text/event-stream` streams the events of the run',
}
const onceHeader = {
	'Idempotency-Key': 'The same key and inputs attach to the same run, for 24 hours; other inputs are refused',
}
const bySlug = z.object({ slug: z.string() })
const byRun = z.object({ slug: z.string(), run: z.string() })

/** A run key sees its lineage's runs, unless it has `read:all`; the owner sees all. */
export function sightOf(deployment: KnownDeployment, caller: Caller): Sight {
	const all = caller.kind === 'owner' || caller.key.scopes.includes('read:all')
	const { id, keptDays } = deployment
	return { deployment: id, lineage: all ? undefined : caller.key.lineage, keptDays }
}

/** How the caller wants to be answered. */
const modeOf = ({ prefer, accept, ...headers }: FastifyRequest['headers']) => ({
	prefer: readPrefer(prefer),
	stream: wantsStream(accept),
	idempotencyKey: readIdempotencyKey(headers['idempotency-key']),
})

/** `{deployment_url}` and what is below it. */
export function runRoutes(root: App, parts: RunRouteParts, openApi: OpenApi): void {
	root.register(async (app: App) => beginRoute(app, parts))
	root.get(
		'/d/:slug',
		{
			schema: { params: bySlug, response: { 200: api.DeploymentCard } },
			config: runKey('getDeploymentCard', 'Name, schemas and state'),
		},
		async (request) => {
			const deployment = await parts.at(request, request.params.slug)
			await parts.auth.requireCaller(request, deployment, 'read')
			return cardOf(deployment)
		},
	)
	root.get(
		'/d/:slug/openapi.json',
		{
			schema: { params: bySlug, response: { 200: api.OpenApiDocument } },
			config: runKey('getDeploymentOpenApi', 'An OpenAPI document typed for this agent'),
		},
		async (request) => {
			const deployment = await parts.at(request, request.params.slug)
			await parts.auth.requireCaller(request, deployment, 'read')
			return openApi.ofDeployment(deployment) as z.infer<typeof api.OpenApiDocument>
		},
	)
	readingRoutes(root, parts)
}

/** A form is read as it comes, so that its files go into storage and not into memory. */
function beginRoute(app: App, parts: RunRouteParts): void {
	const { engine } = parts.runs
	app.addContentTypeParser('multipart/form-data', (_request, payload, done) => done(null, payload))
	app.post(
		'/d/:slug/run',
		{
			schema: { params: bySlug, body: api.RunRequest, response: { 200: api.Run, 202: api.Run } },
			config: {
				...runKey('run', 'Run the agent: wait for its answer, or take a 202, or read its events', runErrors),
				bytes: 'form',
				headers: { ...modeHeaders, ...onceHeader },
				media: 'text/event-stream',
			},
			bodyLimit: runBodyMaxBytes,
			// A body of the wrong shape is refused once it is known whose call it is, and counted.
			attachValidation: true,
		},
		async (request, reply) => {
			if (request.validationError?.validationContext === 'params') throw request.validationError
			const deployment = await parts.at(request, request.params.slug)
			const caller = await parts.auth.requireCaller(request, deployment, 'run')
			try {
				const { prefer, stream, idempotencyKey } = modeOf(request.headers)
				const lineage = caller.kind === 'owner' ? null : caller.key.lineage
				const { inputs } = await bodyOf(parts.sql, request, { deployment, caller, lineage })
				const { traceparent } = request.headers
				const call = { inputs, lineage, idempotencyKey, stream, traceparent }
				const accepted = await acceptRun(engine, deployment, call)
				const mode = {
					url: deployment.url,
					deployment,
					stream,
					owner: lineage === null,
					letIn: letInStill(parts.auth, request, deployment, 'run'),
					prefer,
				}
				return answerRun(engine, reply, accepted, mode) as Promise<never>
			} catch (refusal) {
				parts.runs.refusals.count(deployment.id, refusal)
				throw refusal
			}
		},
	)
}

async function bodyOf(
	sql: Sql,
	request: FastifyRequest,
	by: { deployment: KnownDeployment; caller: Caller; lineage: string | null },
): Promise<z.infer<typeof api.RunRequest>> {
	if (request.body instanceof Readable) {
		requireNoQuery(request)
		const { body, headers } = request
		const { state } = by.deployment
		if (state !== 'running') throw notRunning(state)
		return takeUpload(request, by, () => readRunForm({ sql, ...by }, headers, body))
	}
	if (request.validationError) throw request.validationError
	return request.body as z.infer<typeof api.RunRequest>
}

function readingRoutes(app: App, parts: RunRouteParts): void {
	const { engine } = parts.runs
	const seen = async (request: FastifyRequest, slug: string, id: string, scope: 'read' | 'cancel') => {
		const deployment = await parts.at(request, slug)
		const caller = await parts.auth.requireCaller(request, deployment, scope)
		const record = await readRun(parts.sql, sightOf(deployment, caller), id)
		if (!record) throw noSuchRun(deployment.keptDays)
		return { deployment, record, owner: caller.kind === 'owner' }
	}
	app.get(
		'/d/:slug/runs',
		{
			schema: { params: bySlug, querystring: api.RunQuery, response: { 200: api.RunPage } },
			config: runKey('listRuns', 'Runs, newest first'),
		},
		async (request, reply) => {
			const deployment = await parts.at(request, request.params.slug)
			const sight = sightOf(deployment, await parts.auth.requireCaller(request, deployment, 'read'))
			const { limit } = request.query
			const rows = await listRuns(parts.sql, sight, request.query)
			reply.header('content-type', 'application/json; charset=utf-8')
			return reply.send(pageJson(rows, limit) as never)
		},
	)
	app.get(
		'/d/:slug/runs/:run',
		{ schema: { params: byRun, response: { 200: api.Run } }, config: runKey('getRun', 'One run') },
		async (request, reply) => {
			const { slug, run } = request.params
			return sendRun(reply, 200, (await seen(request, slug, run, 'read')).record)
		},
	)
	app.post(
		'/d/:slug/runs/:run/cancel',
		{
			schema: { params: byRun, body: NoBody, response: { 200: api.Run, 202: api.Run } },
			config: runKey('cancelRun', 'End a run, and the call it has in flight'),
		},
		async (request, reply) => {
			const { slug, run } = request.params
			const { deployment, record } = await seen(request, slug, run, 'cancel')
			if (!(await cancelRun(engine, record.id, 'it was asked for'))) {
				return sendRun(reply, 200, (await seen(request, slug, run, 'cancel')).record)
			}
			const now = await waitForEnd(engine, deployment, record.id, cancelWaitMs)
			return sendRun(reply, now.completed_at === null ? 202 : 200, now)
		},
	)
	app.get(
		'/d/:slug/runs/:run/events',
		{
			schema: { params: byRun, querystring: z.strictObject({ full: Full }) },
			config: {
				...runKey(
					'streamEvents',
					'Its events as a stream, from Last-Event-ID on, until its end; with `full` (owner only) those so far',
				),
				headers: { 'Last-Event-ID': 'The last event there is already; what follows it is sent' },
				media: 'text/event-stream',
			},
		},
		async (request, reply) => {
			const { slug, run } = request.params
			const { deployment, record, owner } = await seen(request, slug, run, 'read')
			const after = readLastEventId(request.headers['last-event-id'])
			if (after > 0 && !(await reaches(parts.sql, record.id, after))) throw noSuchEvent()
			if (isFull(request.query.full)) {
				if (!owner) throw new Problem('forbidden', 'A run key does not reach what the model was sent.')
				reply.header('content-type', 'text/event-stream; charset=utf-8')
				return reply.send((await fullEvents(parts, deployment, record.id, after)) as never)
			}
			return streamRun(engine, reply, {
				deployment: deployment.id,
				run: record.id,
				owner,
				letIn: letInStill(parts.auth, request, deployment, 'read'),
				after,
				headers: {},
			})
		},
	)
}

function pageJson(rows: RunRecord[], limit: number): string {
	const shown = rows.slice(0, limit)
	const next = rows.length > limit ? (shown.at(-1)?.id ?? null) : null
	return `{"data":[${shown.map(runJson).join(',')}],"next_cursor":${JSON.stringify(next)}}`
}
