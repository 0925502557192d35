import { createAgent } from './agent.ts'
import { parseEgressAllow } from './allow.ts'
import { guardedConnector, refusedOwn } from './connect.ts'
import { createFetch } from './fetch.ts'
import { isOwnPath, ownHost, parseOwn, parseTarget, portOf } from './route.ts'
import { type Route, stream } from './stream.ts'
import { type BodyReader, type Egress, EgressError, type EgressOptions, type EgressRequest } from './types.ts'

const CONNECT_MS = 10_000
const KEEP_ALIVE_MS = 4_000
/** Below the 60 seconds after which proxies commonly close an idle connection. */
const KEEP_REPEATABLE_MS = 50_000
/** Sockets to one origin; further requests wait for one. */
const SOCKETS_PER_ORIGIN = 512

export function createEgress(options: EgressOptions): Egress {
	const { connectMs = CONNECT_MS, keepAliveMs = KEEP_ALIVE_MS, lookup, maySend } = options
	const { keepRepeatableMs = KEEP_REPEATABLE_MS } = options
	const own = options.own && parseOwn(options.own)
	const pool = { connections: SOCKETS_PER_ORIGIN, keepAliveTimeout: keepAliveMs, allowH2: false }
	const connect = guardedConnector({
		allow: parseEgressAllow(options.allow),
		connectMs,
		...(lookup && { lookup }),
		...(own && { ownPort: own.port }),
	})
	const guarded = createAgent({ ...pool, connect })
	const repeatable = createAgent({ ...pool, keepAliveTimeout: keepRepeatableMs, connect })
	const local = own && createAgent({ ...pool, connectTimeout: connectMs })

	const route = (url: string | URL, request: EgressRequest): Route => {
		if (maySend?.() === false)
			throw new EgressError('egress_refused', 'This process may send nothing any more.')
		const target = parseTarget(url)
		const path = target.pathname + target.search
		const host = own && ownHost(target, own)
		if (!own || !local || host === undefined) {
			const dispatcher = request.repeatable ? repeatable : guarded
			return { dispatcher, origin: target.origin, path, name: target.host }
		}
		if (!isOwnPath(target, own)) throw refusedOwn(target.hostname, portOf(target))
		return { dispatcher: local, origin: own.listener, path, host, name: target.host }
	}

	const exchange = async (url: string | URL, request: EgressRequest, reader: BodyReader) => {
		const once = () => stream(route(url, request), request, reader)
		if (!request.repeatable) return once()
		return once().catch((error) => {
			if (!(error instanceof EgressError) || !error.stale) throw error
			return once().catch((second) => {
				if (second instanceof EgressError) second.repeated = true
				throw second
			})
		})
	}

	const egress: Omit<Egress, 'fetch'> = {
		async stream(url, request, reader) {
			return exchange(url, request, reader)
		},
		async text(url, request) {
			const chunks: Buffer[] = []
			const head = await exchange(url, request, { onChunk: (chunk) => chunks.push(chunk) })
			return { ...head, text: Buffer.concat(chunks).toString('utf8') }
		},
		async close() {
			await Promise.all([guarded.destroy(), repeatable.destroy(), local?.destroy()])
		},
	}
	return { ...egress, fetch: createFetch(egress.stream) }
}
