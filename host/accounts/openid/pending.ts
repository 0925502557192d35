import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { sharedNow } from '../../../runtime/lib/clock.ts'
import type { RuntimeClient } from '../../../runtime/supervisor/client.ts'
import { readCookie, writeCookie } from '../../auth/index.ts'
import type { Checks } from './provider.ts'

// A sign-in under way is kept by the browser that began it, encrypted under the master key: any host can finish it, none
// has to remember it, and another browser cannot.

const pendingSeconds = 600

const Pending = z.object({
	checks: z.object({ state: z.string(), nonce: z.string(), verifier: z.string() }),
	to: z.string(),
	until: z.number(),
})

interface PendingParts {
	config: { BASE_URL: string }
	runtime: Pick<RuntimeClient, 'call'>
}

/** `__Host-` binds the cookie to this origin, and needs https. */
const cookieOf = (baseUrl: string) => (baseUrl.startsWith('https:') ? '__Host-berth_openid' : 'berth_openid')

export async function keepPending(
	{ config, runtime }: PendingParts,
	reply: FastifyReply,
	begun: { checks: Checks; to: string },
): Promise<void> {
	const plaintext = JSON.stringify({ ...begun, until: sharedNow() + pendingSeconds * 1000 })
	const { wrapped } = await runtime.call('secret.wrap', { purpose: 'sign_in', plaintext })
	reply.header('set-cookie', writeCookie(config.BASE_URL, cookieOf(config.BASE_URL), wrapped, pendingSeconds))
}

/** Takes it from the browser, too. Null: there is none, its time is over, or it is not ours. */
export async function takePending(
	{ config, runtime }: PendingParts,
	request: FastifyRequest,
	reply: FastifyReply,
): Promise<{ checks: Checks; to: string } | null> {
	const name = cookieOf(config.BASE_URL)
	const wrapped = readCookie(name, request.headers.cookie)
	if (!wrapped) return null
	reply.header('set-cookie', writeCookie(config.BASE_URL, name, '', 0))
	const opened = await runtime
		.call('secret.unwrap', { purpose: 'sign_in', wrapped })
		.catch((error: Error & { code?: string }) => {
			if (error.code === 'secret_unreadable') return null
			throw error
		})
	const pending = opened && Pending.parse(JSON.parse(opened.plaintext))
	return pending && pending.until > sharedNow() ? pending : null
}
