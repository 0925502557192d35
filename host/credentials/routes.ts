import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import * as credentials from '../api/credentials.ts'
import type { Auth } from '../auth/index.ts'
import type { At } from '../deployments/index.ts'
import { notFound } from '../http/errors.ts'
import { upload } from '../http/operation.ts'
import type { App } from '../http/route.ts'
import { type CredentialParts, putCredential, readCredentials } from './credentials.ts'

interface RouteParts extends CredentialParts {
	auth: Pick<Auth, 'requireUploader'>
	at: At
}

const bySlug = z.object({ slug: z.string() })
const byName = z.object({ slug: z.string(), name: z.string() })

/** `{deployment_url}/credentials`: the owner's token or the deployment's upload token. */
export function credentialRoutes(app: App, parts: RouteParts): void {
	const uploader = async (request: FastifyRequest, slug: string) => {
		const deployment = await parts.at(request, slug)
		await parts.auth.requireUploader(request, deployment)
		return deployment
	}
	app.get(
		'/d/:slug/credentials',
		{
			schema: { params: bySlug, response: { 200: credentials.CredentialList } },
			config: upload('listCredentials', 'The credentials it needs, and their state'),
		},
		async (request) => readCredentials(parts.sql, await uploader(request, request.params.slug)),
	)
	app.get(
		'/d/:slug/credentials/:name',
		{
			schema: { params: byName, response: { 200: credentials.Credential } },
			config: upload('getCredential', 'State of a credential'),
		},
		async (request) => {
			const { data } = await readCredentials(parts.sql, await uploader(request, request.params.slug))
			const found = data.find(({ name }) => name === request.params.name)
			if (!found) throw notFound('The agent needs no such credential.')
			return found
		},
	)
	app.put(
		'/d/:slug/credentials/:name',
		{
			schema: { params: byName, body: credentials.PutCredential, response: { 200: credentials.Credential } },
			config: upload(
				'putCredential',
				'Upload a credential sealed to the deployment; in use from the next call on',
				['credential_rejected', 'conflict'],
			),
		},
		async (request) => {
			const deployment = await uploader(request, request.params.slug)
			return putCredential(parts, deployment, request.params.name, request.body.jwe)
		},
	)
}
