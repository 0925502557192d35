import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RuntimeClient } from '../../runtime/supervisor/client.ts'
import type { Sql } from '../db/index.ts'
import { Problem } from '../http/errors.ts'
import type { App } from '../http/route.ts'
import type { Auth } from './open.ts'

// `Idempotency-Key` on a /v1 POST (of `/run`: host/runs/accept/accept.ts): the row is inserted before the work begins, so of two calls at once one does it.
// The answer is kept 24 hours. One that holds a secret is encrypted by the runtime under the master key.

const keyFormat = /^[\x21-\x7e]{1,255}$/
const keptHours = 24
/** An unanswered first call this old has lost its host: the key may be tried again. */
const abandonedMinutes = 5
const holdsSecret = /\b(brk|bpt|bup|bss|bco|bsi|whsec)_/
/** Not repeated: the caller is to try again. */
const unkept = new Set([401, 408, 421, 429, 500, 502, 503, 504])

interface IdempotencyParts {
	sql: Sql
	auth: Pick<Auth, 'requireOwner' | 'requireOperator'>
	runtime: Pick<RuntimeClient, 'call'>
}

interface Claim {
	accountId: string
	key: string
}

interface Stored {
	request: string
	answer: { status: number; body?: string; wrapped?: string } | null
}

const claims = new WeakMap<FastifyRequest, Claim>()

/** For every POST under /v1 of a known caller; routes need do nothing for it. */
export function idempotency(app: App, parts: IdempotencyParts): void {
	app.addHook('preHandler', (request, reply, done) => {
		const key = request.headers['idempotency-key']
		if (key === undefined || request.method !== 'POST') return done()
		const { auth, idempotency: wanted } = request.routeOptions.config
		if (wanted === false || (auth !== 'owner' && auth !== 'operator')) return done()
		const caller = auth === 'owner' ? parts.auth.requireOwner(request) : parts.auth.requireOperator(request)
		caller
			.then(({ accountId, via }) => answerOnce(parts, accountId || via, key, request, reply))
			// Once the first answer was sent again, the request is over.
			.then((answered) => answered || done(), done)
	})
	app.addHook('onSend', (request, reply, body, done) => {
		if (!claims.has(request)) return done()
		keepAnswer(parts, request, reply, body).then(() => done(), done)
	})
}

/** Claims the key for this call, or sends the first call's answer again (true). */
async function answerOnce(
	parts: IdempotencyParts,
	accountId: string,
	key: string | string[],
	request: FastifyRequest,
	reply: FastifyReply,
): Promise<boolean> {
	if (typeof key !== 'string' || !keyFormat.test(key)) {
		throw new Problem(
			'invalid_request',
			'Idempotency-Key must be 1 to 255 printable characters without spaces.',
		)
	}
	const digest = digestOf(request)
	const claimed = await parts.sql`
		insert into idempotency (account_id, key, request) values (${accountId}, ${key}, ${digest})
		on conflict (account_id, key) do update set request = excluded.request, answer = null, created_at = now()
			where idempotency.created_at < now() - make_interval(hours => ${keptHours})
				or (idempotency.answer is null and idempotency.request = excluded.request
					and idempotency.created_at < now() - make_interval(mins => ${abandonedMinutes}))
		returning key`
	if (claimed.length > 0) {
		claims.set(request, { accountId, key })
		return false
	}
	const [stored] = await parts.sql<Stored[]>`
		select request, answer from idempotency where account_id = ${accountId} and key = ${key}`
	// It was there a moment ago: its first call failed meanwhile and took it away.
	if (!stored?.answer) {
		if (stored && stored.request !== digest) throw reused()
		throw new Problem(
			'idempotency_in_progress',
			'The first call with this Idempotency-Key is still under way.',
			{
				headers: { 'retry-after': '1' },
			},
		)
	}
	if (stored.request !== digest) throw reused()
	const { status, body = '', wrapped } = stored.answer
	const text = wrapped
		? (await parts.runtime.call('secret.unwrap', { purpose: 'answer', wrapped })).plaintext
		: body
	reply.code(status).header('idempotency-replayed', 'true')
	reply.type(status >= 400 ? 'application/problem+json' : 'application/json; charset=utf-8')
	reply.send(text)
	return true
}

/** Before the answer leaves: keeps it, or gives the key back where the call is to be tried again. */
async function keepAnswer(
	parts: IdempotencyParts,
	request: FastifyRequest,
	reply: FastifyReply,
	body: unknown,
): Promise<void> {
	const claim = claims.get(request)
	if (!claim) return
	claims.delete(request)
	const { accountId, key } = claim
	if (unkept.has(reply.statusCode)) {
		await parts.sql`delete from idempotency where account_id = ${accountId} and key = ${key}`
		return
	}
	const text = typeof body === 'string' ? body : ''
	const kept = holdsSecret.test(text)
		? { wrapped: (await parts.runtime.call('secret.wrap', { purpose: 'answer', plaintext: text })).wrapped }
		: { body: text }
	await parts.sql`
		update idempotency set answer = ${parts.sql.json({ status: reply.statusCode, ...kept })}
		where account_id = ${accountId} and key = ${key}`
}

export async function forgetOldAnswers(sql: Sql): Promise<void> {
	await sql`delete from idempotency where created_at < now() - make_interval(hours => ${keptHours})`
}

function reused(): Problem {
	return new Problem('idempotency_key_reused', 'This Idempotency-Key was used for another request.')
}

/** Of method, address and body. A multipart body's boundary is chosen anew at every try, so it does not count. */
function digestOf(request: FastifyRequest): string {
	const hash = createHash('sha256').update(`${request.method} ${request.url}\n`)
	const { body } = request
	if (Buffer.isBuffer(body)) {
		const boundary = /boundary="?([^";]+)/i.exec(request.headers['content-type'] ?? '')?.[1]
		const bytes = body.toString('latin1')
		return hash.update(boundary ? bytes.replaceAll(boundary, '') : bytes, 'latin1').digest('base64url')
	}
	return hash.update(JSON.stringify(body) ?? '').digest('base64url')
}
