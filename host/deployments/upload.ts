import type { IncomingMessage } from 'node:http'
import { errorCodes, type FastifyRequest } from 'fastify'
import {
	type Bundle,
	type BundleFault,
	type Failure,
	openPool,
	PACKED_MAX_BYTES,
	workerFile,
} from '../../bundles/index.ts'
import type { Auth } from '../auth/index.ts'
import { Problem } from '../http/errors.ts'
import { inPace } from '../http/pace.ts'
import type { App } from '../http/route.ts'
import { enterUpload } from './uploads-under-way.ts'

/** The bundle, and some room for the other members. */
export const uploadMaxBytes = PACKED_MAX_BYTES + 64 * 1024
/** From the body to the bundle's last check; a bundle of the largest size takes a second. */
const readMaxMs = 10_000

export type OpenedBundle = Pick<Bundle, 'agent' | 'digest' | 'commit' | 'memory' | 'scripts'>

export interface Upload {
	bundle: Uint8Array
	fields: Record<string, string>
	opened: OpenedBundle | { faults: BundleFault[]; scripts: OpenedBundle['scripts'] }
}

/** A form that came just now, or a bundle that was taken once. */
export type UploadQuestion =
	| { body: Uint8Array<ArrayBuffer>; contentType: string }
	| { stored: Uint8Array<ArrayBuffer> }
/** `problem`: what is wrong with the form. */
export type UploadAnswer = Upload | { problem: string } | { stored: StoredBundle }

/** The texts of a bundle. */
export interface StoredBundle {
	prompt: string
	skills: { name: string; description: string; text: string | null }[]
	files: { path: string; bytes: number; sha256: string }[]
}

interface UnderWay {
	accountId: string
	/** Aborted when the caller hangs up. */
	signal: AbortSignal
}

/** Bundles are strangers' texts: they are read off the event loop, two at a time, an account's one by one. */
const readers = openPool<UploadQuestion, UploadAnswer>({
	file: workerFile(import.meta.url, './upload-worker.ts', 'upload-worker.mjs'),
	size: 2,
	heapMb: 256,
	jobMs: readMaxMs,
	lostMs: 60_000,
	perOwner: 32,
	waiting: 256,
	idleMs: 30_000,
})
const underWay = new WeakMap<FastifyRequest, UnderWay>()

/** Lets this plugin's routes take `multipart/form-data` of an owner, within a bound of uploads under way. */
export function acceptUploads(app: App, auth: Pick<Auth, 'requireOwner'>): void {
	app.addContentTypeParser(
		'multipart/form-data',
		{ bodyLimit: uploadMaxBytes },
		(_request: FastifyRequest, body: IncomingMessage) => inPace(body, wholeOf(body)),
	)
	// The refusal of a body that is too large names the route's own limit.
	app.addHook('onRoute', (route) => {
		if (route.config && 'upload' in route.config) route.bodyLimit = uploadMaxBytes
	})
	// Before the body is read: what it takes in memory is counted for somebody.
	app.addHook('onRequest', async (request, reply) => {
		const { accountId } = await auth.requireOwner(request)
		const length = Number(request.headers['content-length'] ?? uploadMaxBytes)
		// There is never room for what no address takes.
		if (length > request.routeOptions.bodyLimit) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE()
		const leave = enterUpload({ account: accountId }, length)
		const over = new AbortController()
		const end = () => {
			leave()
			over.abort()
		}
		// The caller may have hung up while its token was looked up.
		if (reply.raw.destroyed) end()
		else reply.raw.once('close', end)
		underWay.set(request, { accountId, signal: over.signal })
	})
	app.addHook('onClose', () => readers.close())
}

/** Of one that is too large the rest is read as well, so that its sender sees the answer. */
function wholeOf(body: IncomingMessage): Promise<Buffer> {
	const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
	const chunks: Buffer[] = []
	let bytes = 0
	body.on('data', (chunk: Buffer) => {
		bytes += chunk.length
		if (bytes <= uploadMaxBytes) return void chunks.push(chunk)
		chunks.length = 0
		reject(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE())
	})
	body.on('end', () => resolve(Buffer.concat(chunks)))
	body.on('error', reject)
	return promise
}

/** The form and its bundle, which may have faults. */
export async function readUpload(request: FastifyRequest): Promise<Upload> {
	const by = underWay.get(request)
	if (!by || !Buffer.isBuffer(request.body))
		throw new Problem('invalid_request', 'Send multipart/form-data with a file `bundle`.')
	// The one copy: the thread takes it over, and the request's own goes with the request.
	const body = new Uint8Array(request.body)
	const outcome = await readers.ask(
		{ body, contentType: request.headers['content-type'] ?? '' },
		{ owner: by.accountId, signal: by.signal, transfer: [body.buffer] },
	)
	if ('failed' in outcome) throw notRead(outcome.failed)
	const { answer } = outcome
	if ('stored' in answer) throw new Error('a form was read as a stored bundle')
	if ('problem' in answer) throw new Problem('invalid_request', answer.problem)
	return answer
}

/** It was checked when it came. */
export async function readStored(bytes: Uint8Array, owner: string): Promise<StoredBundle> {
	const stored = new Uint8Array(bytes)
	const outcome = await readers.ask({ stored }, { owner, transfer: [stored.buffer] })
	if ('failed' in outcome) throw notRead(outcome.failed)
	if (!('stored' in outcome.answer)) throw new Error('a stored bundle was read as a form')
	return outcome.answer.stored
}

function notRead(failed: Failure): Problem {
	const why = {
		time: `takes over ${readMaxMs / 1000} s of CPU time to read`,
		memory: 'takes too much memory to read',
	}
	if (failed === 'time' || failed === 'memory') {
		const errors = [{ path: '', message: why[failed] }]
		return new Problem('bundle_invalid', `The bundle ${why[failed]}.`, { errors })
	}
	if (failed === 'error') return new Problem('internal_error', 'The bundle could not be read.')
	// Nobody reads the answer to a call that was hung up.
	return new Problem('overloaded', 'The bundle could not be read just now.', {
		headers: { 'retry-after': '2' },
	})
}
