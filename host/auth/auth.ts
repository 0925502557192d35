import type { FastifyRequest } from 'fastify'
import type { Sql } from '../db/index.ts'
import { notFound, Problem } from '../http/errors.ts'
import type { Config } from '../settings/config.ts'
import { findAccount } from './account.ts'
import { noteActor, noteOwner } from './actor.ts'
import { readSessionCookie, requireSameOrigin } from './cookies.ts'
import { readLocalOperator } from './local-operator.ts'
import { findSecret, type Subject } from './lookup.ts'
import { readSecret } from './secret-format.ts'
import type { Secrets } from './secrets.ts'

/** Who an OAuth access token for `{base_url}/v1` belongs to, and by which grant; null: none of ours, or not valid. */
export type OAuthAccount = (token: string) => Promise<{ accountId: string; grant: string } | null>

/** What it takes to know a caller. */
export interface CallerParts {
	config: Pick<Config, 'BASE_URL' | 'DATA_DIR'>
	sql: Sql
	secrets: Pick<Secrets, 'verify'>
	oauthAccount: OAuthAccount
	/** Of a token for another address of this host. */
	oauthFor: (token: string, resource: string) => ReturnType<OAuthAccount>
	/** `{deployment_url}/mcp`, for which such tokens are. */
	agentResource: (slug: string) => string
}

/** A signed-in account that is not disabled. */
export interface Owner {
	accountId: string
	email: string
	plan: string
	operator: boolean
	tester: boolean
	/** A console token counts as the session it came from. */
	via: 'personal' | 'session' | 'oauth' | 'local'
	/** What was sent. `id` null: the local operator's; of a console token its session's; of OAuth the grant's. */
	token: { kind: 'personal' | 'session' | 'console' | 'oauth' | 'local'; id: string | null }
}

export type Scope = 'run' | 'read' | 'cancel' | 'read:all'

export interface VerifiedKey {
	id: string
	deploymentId: string
	accountId: string
	scopes: readonly string[]
	/** Shared by a key and its rotated successors: whose runs it sees. */
	lineage: string
}

/** Who calls a deployment's address. `agent`: by a token for this agent alone, which sees what such calls have made. */
export type Caller = { kind: 'owner'; owner: Owner; agent?: true } | { kind: 'run_key'; key: VerifiedKey }

/** A deployment, as far as a credential is held against it. */
export interface OwnedDeployment {
	id: string
	accountId: string
}

/** RFC 6750 section 3.1: only a token that was sent is at fault. */
const refusal = (challenge: string) => (detail: string) =>
	new Problem('unauthenticated', detail, { headers: { 'www-authenticate': challenge } })
const unauthenticated = refusal('Bearer')
const invalidToken = refusal('Bearer error="invalid_token"')
/** The same words as where nothing is: an address says nothing to a stranger. */
const foreign = () => notFound()

/** Before a body is read: a request that brings no credential at all to an address that needs one. */
export function refuseAnonymous({ routeOptions, headers }: FastifyRequest): void {
	if (!routeOptions.config.auth || headers.authorization !== undefined) return
	if (routeOptions.url?.startsWith('/v1/') && headers.cookie !== undefined) return
	throw unauthenticated('Send `Authorization: Bearer <token or run key>`.')
}

/**
 * What to answer instead of a refusal of the request's form: who brings a credential that is not valid hears of that
 * first. Asked only once something is wrong, so that a good call pays nothing.
 */
export async function strangerFirst(
	parts: CallerParts,
	request: FastifyRequest,
	error: unknown,
): Promise<unknown> {
	const { auth } = request.routeOptions.config
	if (!auth || (error instanceof Problem && !aboutForm.has(error.status))) return error
	try {
		if (auth === 'owner') await requireOwner(parts, request)
		else if (auth === 'operator') await requireOperator(parts, request)
		else await requireAnyBearer(parts, request)
		return error
	} catch (refusal) {
		return refusal instanceof Problem && refusal.status < 500 ? refusal : error
	}
}

const aboutForm = new Set([400, 413, 415])

/** A run key, upload token or owner's token of any deployment. */
async function requireAnyBearer(parts: CallerParts, request: FastifyRequest): Promise<void> {
	const bearer = readBearer(request)
	if (bearer !== null && (await parts.secrets.verify(bearer))) return
	if (bearer !== null && request.routeOptions.config.agent && (await byAgentToken(parts, request, bearer)))
		return
	await ownerByBearer(parts, bearer ?? '')
}

export async function requireOwner(parts: CallerParts, request: FastifyRequest): Promise<Owner> {
	const bearer = readBearer(request)
	const owner = bearer === null ? await ownerByCookie(parts, request) : await ownerByBearer(parts, bearer)
	noteOwner(request, owner)
	return owner
}

async function ownerByCookie(parts: CallerParts, request: FastifyRequest): Promise<Owner> {
	const cookie = readSessionCookie(parts.config.BASE_URL, request.headers.cookie)
	if (cookie === null) throw unauthenticated('Sign in: send `Authorization: Bearer <token>`.')
	requireSameOrigin(parts.config.BASE_URL, request)
	const subject = await parts.secrets.verify(cookie)
	if (subject?.kind !== 'session') throw unauthenticated('The session is over. Sign in again.')
	return ownerOf(subject, 'session')
}

export async function requireOperator(parts: CallerParts, request: FastifyRequest): Promise<Owner> {
	const bearer = readBearer(request)
	if (bearer !== null && readLocalOperator(parts.config.DATA_DIR, bearer)) {
		const token = { kind: 'local', id: null } as const
		const local: Owner = {
			...{ accountId: '', email: '', plan: '', operator: true, tester: false },
			...{ via: 'local', token },
		}
		noteOwner(request, local)
		return local
	}
	const owner = await requireOwner(parts, request)
	if (!owner.operator) throw new Problem('forbidden', 'This needs an operator.')
	return owner
}

function requireRunKey(
	parts: CallerParts,
	request: FastifyRequest,
	at: OwnedDeployment,
	scope: Scope,
): VerifiedKey | Promise<VerifiedKey> {
	const bearer = readBearer(request)
	if (bearer === null) throw unauthenticated('Send `Authorization: Bearer <run key>`.')
	const subject = parts.secrets.verify(bearer)
	if (subject instanceof Promise) return subject.then((found) => runKeyOf(found, at, scope))
	return runKeyOf(subject, at, scope)
}

export function requireCaller(
	parts: CallerParts,
	request: FastifyRequest,
	at: OwnedDeployment,
	scope: Scope,
): Caller | Promise<Caller> {
	const bearer = readBearer(request)
	if (bearer === null) throw unauthenticated('Send `Authorization: Bearer <run key>`.')
	if (!bearer.startsWith('brk_'))
		return callerByOwner(parts, bearer, at).then((owner) => ({ kind: 'owner', owner }))
	const key = requireRunKey(parts, request, at, scope)
	if (key instanceof Promise) return key.then((found) => ({ kind: 'run_key', key: found }))
	return { kind: 'run_key', key }
}

export function requireAgentCaller(
	parts: CallerParts,
	request: FastifyRequest,
	at: OwnedDeployment,
	scope: Scope,
): Caller | Promise<Caller> {
	const bearer = readBearer(request)
	if (bearer === null || bearer.startsWith('brk_')) return requireCaller(parts, request, at, scope)
	return byAgentToken(parts, request, bearer).then(async (oauth) => {
		if (!oauth) return requireCaller(parts, request, at, scope)
		const owner = await ownerByOAuth(parts, oauth)
		if (owner.accountId !== at.accountId) throw foreign()
		return { kind: 'owner', owner, agent: true }
	})
}

/** An OAuth access token for the agent that the address names. */
function byAgentToken(parts: CallerParts, { params }: FastifyRequest, bearer: string) {
	return parts.oauthFor(bearer, parts.agentResource((params as { slug: string }).slug))
}

export async function requireUploader(
	parts: CallerParts,
	request: FastifyRequest,
	at: OwnedDeployment,
): Promise<void> {
	const bearer = readBearer(request)
	if (bearer === null)
		throw unauthenticated('Send `Authorization: Bearer <your token, or the upload token>`.')
	if (bearer.startsWith('brk_')) throw new Problem('forbidden', 'A run key does not reach credentials.')
	if (!bearer.startsWith('bup_')) {
		noteOwner(request, await callerByOwner(parts, bearer, at))
		return
	}
	const subject = await parts.secrets.verify(bearer)
	if (subject?.kind !== 'upload') throw invalidToken('The upload token is not valid, or its hour is over.')
	requireEnabled(subject)
	if (subject.deploymentId !== at.id) throw foreign()
	noteActor(request, { kind: 'upload', account: subject.accountId, token: subject.id })
}

export async function requireOwnerAt(
	parts: CallerParts,
	request: FastifyRequest,
	at: OwnedDeployment,
	what: string,
): Promise<Owner> {
	const bearer = readBearer(request)
	if (bearer === null) throw unauthenticated('Send `Authorization: Bearer <your token>`.')
	if (bearer.startsWith('brk_')) throw new Problem('forbidden', `A run key does not reach ${what}.`)
	const owner = await callerByOwner(parts, bearer, at)
	noteOwner(request, owner)
	return owner
}

/**
 * Whether the caller may hear that a deployment is gone: its owner, or whoever names a key that was its own. Such a key
 * was revoked with it and opens nothing any more, so its secret is not hashed.
 */
export async function belonged(
	parts: CallerParts,
	request: FastifyRequest,
	at: OwnedDeployment,
): Promise<boolean> {
	const bearer = readBearer(request) ?? ''
	const { kind, id } = readSecret(bearer) ?? {}
	if (kind === 'run_key' || kind === 'upload')
		return (await findSecret(parts.sql, kind, id as string))?.subject.deploymentId === at.id
	try {
		return (await ownerByBearer(parts, bearer)).accountId === at.accountId
	} catch (error) {
		if (error instanceof Problem) return false
		throw error
	}
}

async function callerByOwner(parts: CallerParts, bearer: string, at: OwnedDeployment): Promise<Owner> {
	const owner = await ownerByBearer(parts, bearer)
	if (owner.accountId !== at.accountId) throw foreign()
	return owner
}

async function ownerByBearer(parts: CallerParts, bearer: string): Promise<Owner> {
	const subject = await parts.secrets.verify(bearer)
	if (subject?.kind === 'personal' || subject?.kind === 'console') return ownerOf(subject, subject.kind)
	const oauth = subject ? null : await parts.oauthAccount(bearer)
	if (!oauth) throw invalidToken('The token is not valid here: unknown, expired or revoked.')
	return ownerByOAuth(parts, oauth)
}

async function ownerByOAuth(parts: CallerParts, oauth: { accountId: string; grant: string }): Promise<Owner> {
	const account = await findAccount(parts.sql, oauth.accountId)
	if (!account) throw invalidToken('The account is gone.')
	if (account.disabled) throw disabled()
	const { email, plan, operator, tester } = account
	const sent = { kind: 'oauth', id: oauth.grant } as const
	return { accountId: account.id, email, plan, operator, tester, via: 'oauth', token: sent }
}

function ownerOf(subject: Subject, kind: 'personal' | 'session' | 'console'): Owner {
	requireEnabled(subject)
	const { email, plan, operator, tester } = subject.account
	const via = kind === 'personal' ? 'personal' : 'session'
	const token = { kind, id: subject.sessionId ?? subject.id }
	return { accountId: subject.accountId, email, plan, operator, tester, via, token }
}

function runKeyOf(subject: Subject | null, at: OwnedDeployment, scope: Scope): VerifiedKey {
	if (subject?.kind !== 'run_key')
		throw invalidToken('The run key is not valid: unknown, expired or revoked.')
	requireEnabled(subject)
	if (subject.deploymentId !== at.id) throw foreign()
	const { id, accountId, scopes, lineage } = subject
	if (!scopes.includes(scope)) throw new Problem('forbidden', `This run key lacks the scope \`${scope}\`.`)
	return { id, deploymentId: at.id, accountId, scopes, lineage: lineage ?? id }
}

function requireEnabled(subject: Subject): void {
	if (subject.account.disabled) throw disabled()
}

const disabled = () => new Problem('forbidden', 'The account is disabled.')

/** Null: no header. Malformed is 401, like any credential that does not hold. */
function readBearer(request: FastifyRequest): string | null {
	const header = request.headers.authorization
	if (header === undefined) return null
	const token = /^Bearer +([\w.~+/=-]{1,4096})$/i.exec(header)?.[1]
	const refuse = /^bearer\b/i.test(header) ? invalidToken : unauthenticated
	if (!token) throw refuse('Authorization must be `Bearer <token>`.')
	return token
}
