import { setPriority } from 'node:os'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { parentPort } from 'node:worker_threads'
import { BundleError, fault, readBundle, sha256 } from '../../bundles/index.ts'
import { Problem } from '../http/errors.ts'
import { eachPart } from '../http/form-parts.ts'
import type { OpenedBundle, StoredBundle, UploadAnswer, UploadQuestion } from './upload.ts'

/** Together, with their source maps: they go to a sandbox in one message. */
const PROGRAMS_MAX_CHARS = 16 * 1024 * 1024
/** Of all skills of a version that is looked at. */
const TEXTS_MAX_CHARS = 4 * 1024 * 1024
const TOO_LARGE = fault('', `its programs are over ${PROGRAMS_MAX_CHARS / 1024 / 1024} Mi characters`)
/** Of one form, many more than it has members. A hundred thousand would take the parser a second of CPU. */
const PARTS_MAX = 100
/** Below the thread that answers everybody, and the runtime: an upload waits where runs do not. */
const NICE = 10

const port = parentPort
if (!port) throw new Error('this file is a worker thread')
// Of this thread alone, on Linux.
if (process.platform === 'linux') setPriority(NICE)
port.on('message', async (question: UploadQuestion) => {
	const answer = 'stored' in question ? { stored: readTexts(question.stored) } : await read(question)
	port.postMessage(answer, 'bundle' in answer ? [answer.bundle.buffer as ArrayBuffer] : [])
})
port.postMessage('ready')

function readTexts(bytes: Uint8Array): StoredBundle {
	const { prompt, skills, files } = readBundle(bytes)
	let left = TEXTS_MAX_CHARS
	return {
		prompt,
		skills: skills.map(({ name, description, body }) => {
			left -= body.length
			return { name, description, text: left < 0 ? null : body }
		}),
		files: [...files].map(([path, content]) => ({ path, bytes: content.length, sha256: sha256(content) })),
	}
}

async function read({
	body,
	contentType,
}: Extract<UploadQuestion, { contentType: string }>): Promise<UploadAnswer> {
	try {
		const { bundle, fields } = await readForm(body, contentType)
		return { bundle, fields, opened: open(bundle) }
	} catch (error) {
		if (error instanceof Problem) return { problem: error.message }
		throw error
	}
}

function open(bytes: Uint8Array): Extract<UploadAnswer, { opened: unknown }>['opened'] {
	try {
		const { agent, digest, commit, memory, scripts } = readBundle(bytes)
		if (sizeOf(scripts) > PROGRAMS_MAX_CHARS) return { faults: [TOO_LARGE], scripts: [] }
		return { agent, digest, commit, memory, scripts }
	} catch (error) {
		if (!(error instanceof BundleError)) throw error
		const { faults, scripts } = error
		if (sizeOf(scripts) > PROGRAMS_MAX_CHARS) return { faults: [...faults, TOO_LARGE], scripts: [] }
		return { faults, scripts }
	}
}

const sizeOf = (scripts: OpenedBundle['scripts']) =>
	scripts.reduce((sum, { code, map = '' }) => sum + code.length + map.length, 0)

/** One file `bundle`, and text members of which each is named once. */
async function readForm(body: Uint8Array<ArrayBuffer>, contentType: string) {
	if (hasManyParts(body, contentType)) throw tooMany()
	const fields: Record<string, string> = Object.create(null)
	let bundle: Uint8Array | null = null
	const once = (name: string) => {
		if (Object.hasOwn(fields, name) || (name === 'bundle' && bundle))
			throw new Problem('invalid_request', `The member \`${name}\` is sent twice.`)
	}
	await eachPart(
		{
			headers: { 'content-type': contentType },
			body: Readable.from([bytesOf(body)]),
			limits: { fieldSize: body.length, fields: PARTS_MAX, files: PARTS_MAX, fileSize: body.length },
			tooMany,
		},
		{
			text(name, value) {
				once(name)
				fields[name] = value
			},
			async file(name, { stream }) {
				once(name)
				if (name !== 'bundle') throw new Problem('invalid_request', `The file \`${name}\` is not expected.`)
				bundle = new Uint8Array(await buffer(stream))
			},
		},
	)
	if (!bundle) throw new Problem('invalid_request', 'The file `bundle` is missing.')
	return { bundle: bundle as Uint8Array, fields }
}

/** Counted before they are read: on a busy machine the time of a bundle would end first, and blame the bundle. */
function hasManyParts(body: Uint8Array<ArrayBuffer>, contentType: string): boolean {
	const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^;\s"]+))/i.exec(contentType) ?? []
	const line = `\r\n--${quoted ?? plain}`
	const bytes = bytesOf(body)
	let parts = 0
	for (let at = bytes.indexOf(line); at !== -1 && parts <= PARTS_MAX; at = bytes.indexOf(line, at + 1))
		parts++
	return parts > PARTS_MAX
}

const bytesOf = (body: Uint8Array<ArrayBuffer>) => Buffer.from(body.buffer, body.byteOffset, body.byteLength)
const tooMany = () => new Problem('invalid_request', `The form has over ${PARTS_MAX} parts.`)
