import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { FILE_MAX_KB, filePlaces } from '../../bundles/index.ts'
import type { Sql } from '../db/index.ts'
import type { KnownDeployment } from '../deployments/index.ts'
import { Problem } from '../http/errors.ts'
import { eachPart } from '../http/form-parts.ts'
import { storeFile, tooLarge } from './store.ts'

/** The member with the other inputs, as JSON; an input that is a file may have that name, too. */
const inputsMember = 'inputs'
const inputsMaxBytes = 1024 * 1024
/** In one form. More are uploaded before. */
const formFilesMax = 16

export interface FormParts {
	sql: Sql
	deployment: KnownDeployment
	lineage: string | null
}

const wrong = (detail: string) => new Problem('invalid_request', detail)
const tooMany = () => wrong(`A form has \`inputs\` once and ${formFilesMax} files at most.`)

/**
 * The body of a run as multipart/form-data: `inputs` as JSON, and files named like the inputs that they are. Each is stored
 * as it comes; the inputs then name them.
 */
export async function readRunForm(
	{ sql, deployment, lineage }: FormParts,
	headers: IncomingHttpHeaders,
	body: Readable,
): Promise<{ inputs: Record<string, unknown> }> {
	const places = new Map(filePlaces(deployment.agent.inputs).map((place) => [place.name, place]))
	let inputs: Record<string, unknown> | undefined
	const files: { name: string; file: string }[] = []
	const limits = {
		fieldSize: inputsMaxBytes,
		fields: 1,
		// `inputs` may be one more.
		files: formFilesMax + 1,
		fileSize: FILE_MAX_KB * 1024 + 1,
	}
	await eachPart(
		{ headers, body, limits, tooMany },
		{
			text(name, value, cut) {
				if (name !== inputsMember || inputs)
					throw wrong(`The member \`${name}\` is not expected, or sent twice.`)
				if (cut) throw new Problem('payload_too_large', 'The inputs are over 1 MiB.')
				inputs = parsed(value)
			},
			async file(name, { stream, filename, type }) {
				const place = places.get(name)
				// A browser sends a `Blob` as a file, and so does curl with `@`.
				if (!place && name === inputsMember) {
					const text = await wholeText(stream)
					return this.text(name, text ?? '', text === null)
				}
				if (!place) throw wrong(`\`${name}\` is no file among the inputs of this agent.`)
				if (!place.list && files.some((other) => other.name === name))
					throw wrong(`The file \`${name}\` is sent twice.`)
				if (files.length === formFilesMax) throw tooMany()
				const of = { account: deployment.accountId, deployment: deployment.id, lineage }
				const stored = await storeFile(sql, { ...of, name: filename, type, bytes: stream })
				// What busboy has cut off is as long as a file may be.
				if ((stream as { truncated?: boolean }).truncated) throw tooLarge()
				files.push({ name, file: stored.file })
			},
		},
	)
	const all: Record<string, unknown> = { ...inputs }
	for (const { name, file } of files) {
		const ref = { file }
		if (places.get(name)?.list) all[name] = [...(Array.isArray(all[name]) ? all[name] : []), ref]
		else if (Object.hasOwn(all, name)) throw wrong(`\`${name}\` is sent as a file and in \`inputs\`.`)
		else all[name] = ref
	}
	return { inputs: all }
}

/** Null: there is more than inputs may have. */
async function wholeText(stream: Readable): Promise<string | null> {
	const chunks: Buffer[] = []
	let bytes = 0
	for await (const chunk of stream as AsyncIterable<Buffer>) {
		bytes += chunk.length
		// The rest is read as well: the parser waits for the end of each part.
		if (bytes <= inputsMaxBytes) chunks.push(chunk)
	}
	if (bytes > inputsMaxBytes) return null
	const text = Buffer.concat(chunks)
	if (!isUtf8(text)) throw wrong('`inputs` is not UTF-8.')
	return text.toString()
}

function parsed(text: string): Record<string, unknown> {
	let value: unknown
	try {
		value = JSON.parse(text)
	} catch {
		throw wrong('`inputs` is not JSON.')
	}
	if (
		typeof value !== 'object' ||
		value === null ||
		Array.isArray(value) ||
		Object.hasOwn(value, '__proto__')
	)
		throw wrong('`inputs` must be a JSON object.')
	return value as Record<string, unknown>
}
