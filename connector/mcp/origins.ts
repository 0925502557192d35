import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

// DNS rebinding: the name of somebody's page is made to point here, and the browsers of its visitors call for it. Then
// `Host` is that page's name, and `Origin` its address. MCP's transport demands that `Origin` is checked.

export interface Origins {
	/** In words for the caller; null: it may call. */
	refusal(request: FastifyRequest): string | null
}

/** `listed`: origins in lower case as browsers send them, or `*`. */
export function openOrigins(baseUrl: string, listed: string[]): Origins {
	const own = new URL(baseUrl)
	const allowed = new Set([own.origin, ...listed])
	const any = allowed.has('*')
	const local = isLocal(own.hostname)

	function mayAsk(origin: string): boolean {
		if (any || allowed.has(origin)) return true
		const url = local ? URL.parse(origin) : null
		return url !== null && /^https?:$/.test(url.protocol) && isLocal(url.hostname)
	}

	/** A name that points here by rebinding is never an address, nor `localhost`. */
	function isOurs(host: string): boolean {
		if (host === own.host) return true
		const name = /^(\[[\da-f:.]+\]|[^[\]:@/?#\\]+)(:\d+)?$/i.exec(host)?.[1]?.toLowerCase()
		if (name === undefined) return false
		return name === own.hostname || name === 'localhost' || isIP(name.replace(/^\[|\]$/g, '')) !== 0
	}

	return {
		refusal: (request) => {
			const { origin } = request.headers
			if (origin !== undefined && !mayAsk(origin))
				return `The origin ${shown(origin)} may not call this server. Its operator can allow it with GUARD_ORIGINS.`
			if (checkedByProxy(request) || isOurs(request.host)) return null
			return `This server is not ${shown(request.host)}: it answers at the host of its BASE_URL. A proxy in front must hand on the Host it was asked for, or be listed in TRUST_PROXY.`
		},
	}
}

/** A trusted proxy (TRUST_PROXY) that does not say which host it was asked for answers for that itself. */
function checkedByProxy({ headers, ip, socket }: FastifyRequest): boolean {
	return ip !== socket.remoteAddress && headers['x-forwarded-host'] === undefined
}

function isLocal(hostname: string): boolean {
	return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
}

function shown(text: string): string {
	return text.slice(0, 200)
}
