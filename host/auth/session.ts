import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Sql } from '../db/index.ts'
import type { Config } from '../settings/config.ts'
import { type AccountRow, findAccount } from './account.ts'
import { noteActor, noteSignIn } from './actor.ts'
import { readSessionCookie, writeSessionCookie } from './cookies.ts'
import type { Subject } from './lookup.ts'
import type { Secrets } from './secrets.ts'
import { issueToken, revokeToken, sessionSeconds } from './tokens.ts'

/** What a browser's session needs. */
export interface SessionParts {
	config: Pick<Config, 'BASE_URL'>
	sql: Sql
	secrets: Secrets
}

/** Browsers name themselves last. */
const agentMaxLetters = 255

export async function startSession(
	parts: SessionParts,
	accountId: string,
	request: FastifyRequest,
	reply: FastifyReply,
): Promise<void> {
	const agent = String(request.headers['user-agent'] ?? '').slice(0, agentMaxLetters)
	const { id, secret } = await issueToken(parts, accountId, 'session', agent)
	noteSignIn(request, accountId, id)
	reply.header('set-cookie', writeSessionCookie(parts.config.BASE_URL, secret, sessionSeconds))
}

export async function endSession(
	parts: SessionParts,
	request: FastifyRequest,
	reply: FastifyReply,
): Promise<void> {
	const subject = await readSession(parts, request)
	if (subject) {
		const { id, accountId } = subject
		noteActor(request, { kind: 'session', account: accountId, token: id, operation: 'signOut' })
		await revokeToken(parts, accountId, id, 'session')
	}
	reply.header('set-cookie', writeSessionCookie(parts.config.BASE_URL, '', 0))
}

/** Whose browser it is. Null: nobody's who may come in. */
export async function sessionAccount(
	parts: SessionParts,
	request: FastifyRequest,
): Promise<AccountRow | null> {
	const subject = await readSession(parts, request)
	if (!subject) return null
	noteActor(request, { kind: 'session', account: subject.accountId, token: subject.id })
	const account = await findAccount(parts.sql, subject.accountId)
	return account && !account.disabled ? account : null
}

async function readSession(parts: SessionParts, request: FastifyRequest): Promise<Subject | null> {
	const cookie = readSessionCookie(parts.config.BASE_URL, request.headers.cookie)
	const subject = cookie ? await parts.secrets.verify(cookie) : null
	return subject?.kind === 'session' ? subject : null
}
