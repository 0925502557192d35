/**
 * `http` in `agent.yaml`: the origins that an agent's programs may call with `ctx.http`, and the headers that the
 * runtime puts in. A secret in them is a credential of its own: its owner seals it, for that origin alone.
 */
import { z } from 'zod'
import { hiddenCharacter } from './path.ts'

export const HTTP_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type HttpMethod = (typeof HTTP_METHODS)[number]

/** Of one run, where `limits.http_calls` is left out. */
export const HTTP_CALLS = 100
/** Of one response, where `max_response_kb` is left out. */
export const HTTP_RESPONSE_KB = 1024
/** Of one request, where `timeout_seconds` is left out. */
export const HTTP_SECONDS = 30
const ORIGINS_MAX = 32
const HEADERS_MAX = 16

const httpOrigin = z.strictObject({
	methods: z.array(z.enum(HTTP_METHODS)).min(1).max(HTTP_METHODS.length),
	headers: z
		.record(z.string(), z.string().max(1024))
		.optional()
		.describe(
			'Sent with every request. {{secret.NAME}} stands for a secret that the owner seals for this origin.',
		),
	idempotent: z
		.boolean()
		.optional()
		.describe(
			'The origin takes an Idempotency-Key: requests carry one, and may be made again when their outcome is unknown.',
		),
	timeout_seconds: z
		.number()
		.positive()
		.max(3600)
		.optional()
		.describe(`Longest wait for one whole response; omitted: ${HTTP_SECONDS}.`),
	max_response_kb: z
		.int()
		.min(1)
		.max(4096)
		.optional()
		.describe(`Largest body of a response in KiB; omitted: ${HTTP_RESPONSE_KB}.`),
})

export const httpSchema = z
	.record(z.string(), httpOrigin)
	.optional()
	.describe("Origins that the agent's programs may call with `ctx.http`, by origin.")

export type HttpSettings = z.infer<typeof httpSchema>

/** What the runtime sets itself, or what would change how a request travels. */
const RESERVED = new Set([
	...['accept-encoding', 'connection', 'content-length', 'expect', 'host', 'idempotency-key', 'keep-alive'],
	...['te', 'trailer', 'transfer-encoding', 'upgrade'],
])
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/
const SECRET_NAME = /^[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?$/
/** Of a secret in a header. */
export const HTTP_SECRET = /\{\{\s*secret\.([^{}]*?)\s*\}\}/g

/** Why a header of this name cannot be set; undefined: it can. */
export function headerFault(name: string): string | undefined {
	if (!HEADER_NAME.test(name)) return 'is no name of a header'
	if (RESERVED.has(name.toLowerCase()) || /^proxy-/i.test(name)) return 'is set by Berth itself'
	return undefined
}

export interface HttpSecret {
	name: string
	/** Of its credential. */
	credential: string
	/** The only one it is sent to. */
	origin: string
}

/** All secrets of an agent, each once, in the order of `agent.yaml`. */
export function httpSecrets({ http = {} }: { http?: HttpSettings }): HttpSecret[] {
	const found = new Map<string, HttpSecret>()
	for (const [origin, { headers = {} }] of Object.entries(http)) {
		for (const name of Object.values(headers).flatMap(secretsIn))
			found.set(name, { name, credential: `http:${name}`, origin })
	}
	return [...found.values()]
}

const secretsIn = (value: string) => [...value.matchAll(HTTP_SECRET)].map(([, name = '']) => name)

interface Finding {
	path: PropertyKey[]
	message: string
}

/** What its shape cannot say. */
export function httpRules(http: HttpSettings = {}): Finding[] {
	const findings: Finding[] = []
	const origins = Object.entries(http)
	if (origins.length > ORIGINS_MAX)
		findings.push({
			path: ['http'],
			message: `has ${origins.length} origins, of which ${ORIGINS_MAX} are taken`,
		})
	/** By secret. */
	const owners = new Map<string, string>()
	for (const [origin, { headers = {} }] of origins) {
		const path = ['http', origin]
		const message = originFault(origin)
		if (message !== undefined) findings.push({ path, message })
		const names = Object.keys(headers)
		if (names.length > HEADERS_MAX)
			findings.push({ path: [...path, 'headers'], message: `has over ${HEADERS_MAX} headers` })
		for (const [position, name] of names.entries()) {
			const tell = (message: string) => findings.push({ path: [...path, 'headers', name], message })
			const fault = headerFault(name)
			if (fault) tell(fault)
			if (names.findIndex((one) => one.toLowerCase() === name.toLowerCase()) < position)
				tell('is there already, in other letters')
			for (const one of valueFaults(headers[name] ?? '', origin, owners)) tell(one)
		}
	}
	return findings
}

function originFault(text: string): string | undefined {
	const url = hiddenCharacter(text) === null ? URL.parse(text) : null
	if (!url || !/^https?:$/.test(url.protocol)) return 'must be an origin, such as https://api.example.com'
	if (url.hostname.includes('*')) return 'must be one origin: write each without *'
	return url.origin === text
		? undefined
		: `must be an origin, without path, user name and standard port: write ${url.origin}`
}

function valueFaults(value: string, origin: string, owners: Map<string, string>): string[] {
	const faults: string[] = []
	if (!/^[\x20-\x7e]*$/.test(value)) faults.push('must hold printable ASCII characters only')
	if (value.replace(HTTP_SECRET, '').includes('{{'))
		faults.push('has a {{…}} that stands for nothing: write {{secret.NAME}}')
	for (const name of secretsIn(value)) {
		if (!SECRET_NAME.test(name))
			faults.push(`the name of a secret is 1–63 of a–z, 0–9, - and _, not "${name}"`)
		const owner = owners.get(name) ?? origin
		owners.set(name, owner)
		if (owner !== origin)
			faults.push(`the secret ${name} is for ${owner}: give the one for ${origin} another name`)
	}
	return faults
}
