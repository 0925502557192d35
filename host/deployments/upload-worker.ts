import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { BundleError, fault, readBundle, sha256 } from '../../bundles/index.ts'
import { Problem } from '../http/errors.ts'
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
	if (hasManyParts(body, contentType))
		throw new Problem('invalid_request', `The form has over ${PARTS_MAX} parts.`)
	const headers = { 'content-type': contentType }
	const form = await new Response(body, { headers }).formData().catch((cause) => {
		throw new Problem('invalid_request', 'The body is not well-formed multipart/form-data.', { cause })
	})
	const fields: Record<string, string> = Object.create(null)
	let bundle: Uint8Array | null = null
	for (const [name, value] of form) {
		if (Object.hasOwn(fields, name) || (name === 'bundle' && bundle)) {
			throw new Problem('invalid_request', `The member \`${name}\` is sent twice.`)
		}
		if (name === 'bundle' && typeof value !== 'string') bundle = new Uint8Array(await value.arrayBuffer())
		else if (typeof value === 'string') fields[name] = value
		else throw new Problem('invalid_request', `The file \`${name}\` is not expected.`)
	}
	if (!bundle) throw new Problem('invalid_request', 'The file `bundle` is missing.')
	return { bundle, fields }
}

/** Counted before they are read: on a busy machine the time of a bundle would end first, and blame the bundle. */
function hasManyParts(body: Uint8Array<ArrayBuffer>, contentType: string): boolean {
	const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^;\s"]+))/i.exec(contentType) ?? []
	const line = `\r\n--${quoted ?? plain}`
	const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
	let parts = 0
	for (let at = bytes.indexOf(line); at !== -1 && parts <= PARTS_MAX; at = bytes.indexOf(line, at + 1))
		parts++
	return parts > PARTS_MAX
}
