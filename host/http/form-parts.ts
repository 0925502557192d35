import type { IncomingHttpHeaders } from 'node:http'
import { finished, type Readable } from 'node:stream'
import { Busboy } from '@fastify/busboy'
import { Problem } from './errors.ts'

export interface Form {
	headers: IncomingHttpHeaders
	body: Readable
	/** What is longer is cut off: of texts `cut` tells, of files their stream. */
	limits: { fieldSize: number; fields: number; files: number; fileSize: number }
	/** There are more fields or files. */
	tooMany(): Problem
}

interface Takes {
	text(name: string, value: string, cut: boolean): void
	file(name: string, part: { stream: Readable; filename: string; type: string }): Promise<void>
}

const notWellFormed = () => new Problem('invalid_request', 'The body is not well-formed multipart/form-data.')

/** Parts one after the other; one with a file name is a file. Rejects with the first failure, or where the body ends in the middle. */
export async function eachPart({ headers, body, limits, tooMany }: Form, takes: Takes): Promise<void> {
	const { promise, resolve, reject } = Promise.withResolvers<void>()
	let work = Promise.resolve()
	const open = new Set<Readable>()
	const parser = (() => {
		try {
			return new Busboy({ headers: headers as { 'content-type': string }, limits })
		} catch {
			throw notWellFormed()
		}
	})()
	parser.on('field', (name, value, _nameCut, cut) => {
		work = work.then(() => takes.text(name, value, cut))
		work.catch(reject)
	})
	parser.on('file', (name, stream, filename, _encoding, type) => {
		open.add(stream)
		stream.on('error', () => undefined)
		work = work.then(() => takes.file(name, { stream, filename: filename ?? 'file', type }))
		work.catch(reject)
	})
	for (const limit of ['filesLimit', 'fieldsLimit'] as const) parser.on(limit, () => reject(tooMany()))
	parser.on('error', () => reject(notWellFormed()))
	parser.on('finish', () => work.then(resolve, reject))
	// Also of a body whose sender hung up before this.
	finished(body, { writable: false }, (error) => error && reject(error))
	body.pipe(parser)
	try {
		await promise
	} catch (error) {
		body.unpipe(parser)
		// To its end, within the time that a request has: a sender whose connection closes before sees a broken pipe, no answer.
		body.resume()
		// Whoever reads one of them ends with it.
		for (const stream of open) stream.destroy(error as Error)
		parser.destroy()
		await work.catch(() => undefined)
		throw error
	}
}
