import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { World } from './world.ts'

/** Two origins that programs ask with `ctx.http`: one is read and ordered at, the other does a thing once a key. */
export interface Shop {
	url: string
	idempotentUrl: string
	secret: string
	/** Keys of the idempotent origin, by tag. */
	keys: Map<string, Set<string>>
	/** Requests without the secret. */
	strangers: string[]
	close(): Promise<void>
}

const answerMs = 150

export async function startShop(called: World['called']): Promise<Shop> {
	const keys: Shop['keys'] = new Map()
	const strangers: string[] = []
	const secret = 'shop-secret-0123456789'
	const serve = async (idempotent: boolean) => {
		const server = createServer(async (request, response) => {
			const [, what = '', tag = ''] = (request.url ?? '').split('/')
			const call: { at: number; endedAt: number | null } = { at: Date.now(), endedAt: null }
			called.set(`${what} ${tag}`, [...(called.get(`${what} ${tag}`) ?? []), call])
			if (!idempotent && request.headers['x-key'] !== secret) strangers.push(`${what} ${tag}`)
			if (idempotent) keys.set(tag, (keys.get(tag) ?? new Set()).add(keyOf(request)))
			const body = await text(request)
			await sleep(answerMs)
			call.endedAt = Date.now()
			response.end(what === 'find' ? `found ${tag}` : `${body}, ${what}`)
		})
		// A runtime that stood still may come back to a connection at any time.
		server.keepAliveTimeout = 0
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
		return server
	}
	const [shop, pays] = await Promise.all([serve(false), serve(true)])
	const urlOf = (server: typeof shop) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
	return {
		...{ url: urlOf(shop), idempotentUrl: urlOf(pays), secret, keys, strangers },
		async close() {
			for (const server of [shop, pays]) {
				server.closeAllConnections()
				await new Promise((resolve) => server.close(resolve))
			}
		},
	}
}

const keyOf = ({ headers }: IncomingMessage) => String(headers['idempotency-key'])

/** Reads, does a thing that may be repeated with its key, then one that must not be done twice. */
export const shopping = ({ url, idempotentUrl }: Shop) => `import { agent } from 'berth'
export default agent(async ({ tag }, ctx) => {
	const [said, found] = await Promise.all([
		ctx.model('Think about ' + tag),
		ctx.http({ url: '${url}/find/' + tag }),
	])
	const paid = await ctx.http({ method: 'POST', url: '${idempotentUrl}/settle/' + tag, body: found.text })
	const ordered = await ctx.http({ method: 'POST', url: '${url}/order/' + tag, body: paid.text })
	return said.text + ': ' + ordered.text
})
`
