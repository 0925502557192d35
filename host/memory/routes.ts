import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import * as api from '../api/memory.ts'
import type { Auth, OwnedDeployment } from '../auth/index.ts'
import type { Sql } from '../db/index.ts'
import { namesTag } from '../http/conditions.ts'
import { notFound, Problem } from '../http/errors.ts'
import { owner } from '../http/operation.ts'
import type { App } from '../http/route.ts'
import { type Changed, changeMemory } from './change.ts'
import { listMemory, listVersions, readMemory } from './read.ts'
import { fileMaxBytes } from './rules.ts'
import { eraseMemory } from './seed.ts'

/** JSON may write a character as six. */
const bodyMaxBytes = 6 * fileMaxBytes + 1024

const bySlug = z.object({ slug: z.string() })
const byPath = z.object({ slug: z.string(), '*': z.string() })
const conditions = {
	'If-Match': 'The ETag that the file must still have; `*`: it must be there',
	'If-None-Match': '`*`: the file must not be there yet',
}

interface MemoryParts {
	sql: Sql
	auth: Pick<Auth, 'requireOwnerAt'>
	/** The deployment at an address; one that is nobody's where nothing is. */
	at(request: FastifyRequest, slug: string): Promise<OwnedDeployment>
}

/**
 * `{deployment_url}/memory` (spec memory.owner-only): the owner reads, edits and clears it; a run key never reaches it.
 */
export function memoryRoutes(app: App, parts: MemoryParts): void {
	app.get(
		'/d/:slug/memory',
		{
			schema: { params: bySlug, response: { 200: api.MemoryList } },
			config: owner('listMemory', 'All files of its memory'),
		},
		async (request) => {
			const { deployment } = await own(parts, request, request.params.slug)
			const rows = await listMemory(parts.sql, deployment, '')
			return { data: rows.map(({ at, ...entry }) => ({ ...entry, updated_at: at.toISOString() })) }
		},
	)
	app.delete(
		'/d/:slug/memory',
		{
			schema: { params: bySlug, response: { 200: api.ErasedMemory } },
			config: owner('eraseMemory', 'Erase its memory, with every version'),
		},
		async (request) => {
			const { deployment } = await own(parts, request, request.params.slug)
			return { deleted: await eraseMemory(parts.sql, deployment) }
		},
	)
	app.get(
		'/d/:slug/memory-versions/*',
		{
			schema: { params: byPath, response: { 200: api.MemoryVersions } },
			config: owner('listMemoryVersions', 'The writes of a file that are kept, newest first'),
		},
		async (request) => {
			const { deployment } = await own(parts, request, request.params.slug)
			const rows = await listVersions(parts.sql, deployment, request.params['*'])
			if (rows.length === 0) throw missing()
			return {
				data: rows.map(({ at, actor, ...row }) => ({
					...row,
					updated_at: at.toISOString(),
					updated_by: actor,
				})),
			}
		},
	)
	fileRoutes(app, parts)
}

function fileRoutes(app: App, parts: MemoryParts): void {
	app.get(
		'/d/:slug/memory/*',
		{
			schema: {
				params: byPath,
				querystring: api.MemoryQuery,
				response: { 200: api.MemoryFile, 304: z.undefined() },
			},
			config: {
				...owner('getMemoryFile', 'One file, as it is or as it was in a version'),
				headers: { 'If-None-Match': 'ETags that are there already: 304 where the file has one of them' },
			},
		},
		async (request, reply) => {
			const { deployment } = await own(parts, request, request.params.slug)
			const { version } = request.query
			const found = await readMemory(parts.sql, deployment, request.params['*'], version)
			if (!found) throw missing(version)
			const known = request.headers['if-none-match']
			if (known !== undefined && namesTag(known, tagOf(found), { weak: true }))
				return reply.code(304).header('etag', tagOf(found)).send(undefined)
			return fileOf(reply, found)
		},
	)
	app.put(
		'/d/:slug/memory/*',
		{
			schema: {
				params: byPath,
				body: api.PutMemory,
				response: { 200: api.MemoryFile, 201: api.MemoryFile },
			},
			config: {
				...owner('putMemoryFile', 'Write a file; without a condition, over whatever is there', [
					'precondition_failed',
				]),
				headers: conditions,
			},
			bodyLimit: bodyMaxBytes,
		},
		async (request, reply) => {
			const { deployment, account } = await own(parts, request, request.params.slug)
			const path = request.params['*']
			const { content } = request.body
			const expected = await expectedBy(parts.sql, request, deployment, path)
			const by = { account }
			const { version, created } = required(
				await changeMemory(parts.sql, { deployment, path, content, expected, by }),
			)
			const written = await readMemory(parts.sql, deployment, path, version)
			if (!written) throw missing()
			return fileOf(reply.code(created ? 201 : 200), written)
		},
	)
	app.delete(
		'/d/:slug/memory/*',
		{
			schema: { params: byPath, response: { 204: z.undefined() } },
			config: {
				...owner('deleteMemoryFile', 'Delete a file; its versions are kept for a while', [
					'precondition_failed',
				]),
				headers: conditions,
			},
		},
		async (request, reply) => {
			const { deployment, account } = await own(parts, request, request.params.slug)
			const path = request.params['*']
			const expected = await expectedBy(parts.sql, request, deployment, path)
			required(await changeMemory(parts.sql, { deployment, path, content: null, expected, by: { account } }))
			return reply.code(204).send()
		},
	)
}

async function own(parts: MemoryParts, request: FastifyRequest, slug: string) {
	const deployment = await parts.at(request, slug)
	const { accountId: account } = await parts.auth.requireOwnerAt(request, deployment, 'the memory')
	return { deployment: deployment.id, account }
}

const tagOf = ({ version }: { version: number }) => `"${version}"`

function fileOf(reply: FastifyReply, file: NonNullable<Awaited<ReturnType<typeof readMemory>>>) {
	const { at, actor, ...rest } = file
	reply.header('etag', tagOf(file))
	return { ...rest, updated_at: at.toISOString(), updated_by: actor }
}

/** The version that the request's condition names; undefined without one. */
async function expectedBy(
	sql: Sql,
	{ headers }: FastifyRequest,
	deployment: string,
	path: string,
): Promise<number | undefined> {
	const match = headers['if-match']
	if (headers['if-none-match'] !== undefined) {
		if (headers['if-none-match'].trim() !== '*' || match !== undefined)
			throw new Problem('invalid_request', 'If-None-Match takes `*`, and stands without If-Match.')
		return 0
	}
	if (match === undefined) return undefined
	const file = await readMemory(sql, deployment, path)
	if (!file) throw changed('There is no such file.')
	if (!namesTag(match, tagOf(file)))
		throw changed(`The file is at version ${file.version}, which If-Match does not name.`)
	return file.version
}

function required(changedTo: Changed): Extract<Changed, { ok: true }> {
	if (changedTo.ok) return changedTo
	if (changedTo.code === 'conflict') throw changed(changedTo.message)
	throw new Problem(changedTo.code, changedTo.message)
}

const changed = (detail: string) => new Problem('precondition_failed', detail)
const missing = (version?: number) =>
	notFound(
		version === undefined
			? 'There is no such file in its memory.'
			: `That file has no version ${version}. GET …/memory-versions/{path} lists those that are kept.`,
	)
