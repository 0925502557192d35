import type { FastifyRequest } from 'fastify'
import { Problem } from '../http/errors.ts'

/** `__Host-` binds the cookie to this origin, and needs https. */
const sessionCookie = (baseUrl: string) => (baseUrl.startsWith('https:') ? '__Host-berth' : 'berth_session')

export function readSessionCookie(baseUrl: string, header: string | undefined): string | null {
	return readCookie(sessionCookie(baseUrl), header)
}

export function readCookie(name: string, header: string | undefined): string | null {
	if (!header) return null
	const wanted = `${name}=`
	for (const part of header.split(';')) {
		const pair = part.trim()
		if (pair.startsWith(wanted)) return pair.slice(wanted.length)
	}
	return null
}

export function writeSessionCookie(baseUrl: string, secret: string, maxAgeSeconds: number): string {
	return writeCookie(baseUrl, sessionCookie(baseUrl), secret, maxAgeSeconds)
}

/** `Lax`: sent with the visit that another site's redirect makes, and with no form of another site. */
export function writeCookie(baseUrl: string, name: string, value: string, maxAgeSeconds: number): string {
	const secure = baseUrl.startsWith('https:') ? '; Secure' : ''
	return `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${secure}`
}

/**
 * A cookie travels with requests that other sites cause, so a change made by one must come from our own pages: the
 * browser says so in Sec-Fetch-Site, or an older one in Origin. (Method: Filippo Valsorda's of 2025, as in Go 1.25.)
 */
export function requireSameOrigin(baseUrl: string, request: FastifyRequest): void {
	if (request.method === 'GET' || request.method === 'HEAD' || request.method === 'OPTIONS') return
	const site = request.headers['sec-fetch-site']
	if (site === 'same-origin' || site === 'none') return
	const { origin } = request.headers
	if (site === undefined && origin === undefined) return
	if (site === undefined && origin === new URL(baseUrl).origin) return
	throw new Problem('forbidden', 'A request with the session cookie must come from this site’s own pages.')
}
