import type { FastifyReply, FastifyRequest } from 'fastify'
import { clientMetadata } from './clients.ts'
import { type Fault, registrationFault } from './refusals.ts'
import { type Registrations, registrationMaxBytes } from './registrations.ts'

type RegistrationResult = { refused: Fault; status: number; retrySeconds?: number } | { body: Buffer }

/** A registration brought to its form, or the answer to it (RFC 7591 §3.2.2). An update has its client's own token. */
export async function readRegistration(
	{ body, ip, method }: FastifyRequest,
	registrations: Registrations,
): Promise<RegistrationResult> {
	const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
	if (bytes.length > registrationMaxBytes) return refusal(413, 'invalid_client_metadata', tooLarge)
	const given = parse(bytes)
	// Not JSON, or not an object: as it is, for the library to refuse.
	if (!given) return { body: bytes }
	const fault = registrationFault(given)
	if (fault) return { refused: fault, status: 400 }
	const seconds = method === 'POST' ? await registrations.waitFor(ip) : 0
	if (seconds > 0) return { ...refusal(429, 'temporarily_unavailable', tooMany), retrySeconds: seconds }
	return { body: registration(given) }
}

const tooLarge = `a registration is at most ${registrationMaxBytes / 1024} KiB`
const tooMany = 'too many registrations came from this address, or are unused: try again later'

function refusal(status: number, error: Fault['error'], error_description: string) {
	return { refused: { error, error_description }, status }
}

export function sendRefusal(
	reply: FastifyReply,
	answer: Extract<RegistrationResult, { refused: Fault }>,
): FastifyReply {
	if (answer.retrySeconds !== undefined) reply.header('retry-after', String(answer.retrySeconds))
	return reply.code(answer.status).header('cache-control', 'no-store').send(answer.refused)
}

/** Null: not JSON, or not an object. */
function parse(body: Buffer): Record<string, unknown> | null {
	try {
		const given = JSON.parse(body.toString('utf8'))
		return typeof given === 'object' && !Array.isArray(given) ? given : null
	} catch {
		return null
	}
}

function registration(given: Record<string, unknown>): Buffer {
	// An update must name the client and may repeat its secret (RFC 7592 §2.2).
	const { client_id, client_secret } = given
	return Buffer.from(
		JSON.stringify({
			...clientMetadata(given),
			...(client_id !== undefined && { client_id }),
			...(client_secret !== undefined && { client_secret }),
		}),
	)
}
