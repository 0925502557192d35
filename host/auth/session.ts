import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Host } from '../context.ts'
import { type AccountRow, findAccount } from './account.ts'
import { readSessionCookie, writeSessionCookie } from './cookies.ts'
import type { Subject } from './lookup.ts'
import { issueToken, revokeToken, sessionSeconds } from './tokens.ts'

export async function startSession(
	host: Host,
	accountId: string,
	request: FastifyRequest,
	reply: FastifyReply,
): Promise<void> {
	const agent = String(request.headers['user-agent'] ?? '').slice(0, 100)
	const { secret } = await issueToken(host, accountId, 'session', agent)
	reply.header('set-cookie', writeSessionCookie(host.config.BASE_URL, secret, sessionSeconds))
}

export async function endSession(host: Host, request: FastifyRequest, reply: FastifyReply): Promise<void> {
	const subject = await readSession(host, request)
	if (subject) await revokeToken(host, subject.accountId, subject.id, 'session')
	reply.header('set-cookie', writeSessionCookie(host.config.BASE_URL, '', 0))
}

/** Whose browser it is. Null: nobody's who may come in. */
export async function sessionAccount(host: Host, request: FastifyRequest): Promise<AccountRow | null> {
	const subject = await readSession(host, request)
	const account = subject && (await findAccount(host.sql, subject.accountId))
	return account && !account.disabled ? account : null
}

async function readSession(host: Host, request: FastifyRequest): Promise<Subject | null> {
	const cookie = readSessionCookie(host.config.BASE_URL, request.headers.cookie)
	const subject = cookie ? await host.secrets.verify(cookie) : null
	return subject?.kind === 'session' ? subject : null
}
