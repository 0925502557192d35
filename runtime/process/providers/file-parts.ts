import { isUtf8 } from 'node:buffer'
import type { Message } from '../../wire/model.ts'
import type { ModelRequest, ShownFile } from './types.ts'

/** What a model is shown of a file, before an interface gives it its own form. */
export type FilePart =
	/** `name`: of the file that it is the text of. */
	| { kind: 'text'; text: string; name?: string }
	| { kind: 'image'; type: ImageType; base64: string }
	| { kind: 'pdf'; name: string; base64: string }

type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'

const images = new Set<string>(['image/png', 'image/jpeg', 'image/gif', 'image/webp'] satisfies ImageType[])
const pdf = 'application/pdf'
const texts =
	/^(?:text\/|application\/(?:json|xml|yaml|javascript|[a-z0-9.+-]+\+(?:json|xml))$|image\/svg\+xml$)/

/** Bytes that count like its tokens: providers charge an image by its size in pixels, some 1,600 at most. */
const IMAGE_BYTES = 6_400
/** A hundred pages, as they are charged. */
const PDF_MAX_BYTES = 600_000
const LABEL_BYTES = 300

const kindOf = ({ type }: ShownFile) =>
	images.has(type) ? 'image' : type === pdf ? 'pdf' : texts.test(type) ? 'text' : undefined

/** Each file after its name, so that the model can tell them apart and name them to a tool. */
export function partsOf(
	{ files }: Exclude<Message, { role: 'assistant' }>,
	request: ModelRequest,
): FilePart[] {
	return (files ?? []).flatMap(({ file }) => {
		const known = request.files?.get(file)
		return known ? [label(known), ...shown(known)] : []
	})
}

function label(file: ShownFile): FilePart {
	const said = `File ${JSON.stringify(file.name)} (${file.file}, ${file.type}, ${file.size} bytes)`
	return { kind: 'text', text: kindOf(file) ? `${said}:` : `${said}: no model is shown this type.` }
}

function shown(file: ShownFile): FilePart[] {
	const { bytes = Buffer.alloc(0), name, type } = file
	const kind = kindOf(file)
	if (kind === 'image') return [{ kind, type: type as ImageType, base64: bytes.toString('base64') }]
	if (kind === 'pdf') return [{ kind, name, base64: bytes.toString('base64') }]
	if (kind === 'text' && isUtf8(bytes)) return [{ kind, name, text: bytes.toString('utf8') }]
	return []
}

/** Ids of the files that Anthropic is shown as documents, in their order, where it is to cite them. */
export function documentsOf({ messages, files }: ModelRequest): string[] {
	const isDocument = (file: ShownFile) => {
		const { bytes = Buffer.alloc(0) } = file
		return kindOf(file) === 'pdf' || (kindOf(file) === 'text' && bytes.length > 0 && isUtf8(bytes))
	}
	return messages.flatMap((message) => {
		const named = message.role === 'assistant' ? [] : (message.files ?? [])
		return named.flatMap(({ file }) => {
			const known = files?.get(file)
			return known && isDocument(known) ? [file] : []
		})
	})
}

/** Whether its bytes are needed at all. */
export const isShown = (file: ShownFile) => kindOf(file) !== undefined

export const dataUrl = (type: string, base64: string) => `data:${type};base64,${base64}`

/** In bytes that count like tokens of text do. */
export function sizeOfFiles(files: ModelRequest['files']): number {
	let size = 0
	for (const file of files?.values() ?? []) {
		const kind = kindOf(file)
		if (kind === 'image') size += IMAGE_BYTES
		else if (kind === 'pdf') size += Math.min(file.size, PDF_MAX_BYTES)
		else if (kind === 'text') size += file.size
		size += LABEL_BYTES
	}
	return size
}

/** Of a body with files in base64: as long as it counts. */
export function countedChars(body: string, files: ModelRequest['files']): number {
	let chars = body.length
	for (const file of files?.values() ?? []) {
		const kind = kindOf(file)
		if (kind === 'image' || kind === 'pdf') chars -= Math.ceil(file.size / 3) * 4
	}
	return Math.max(0, chars) + sizeOfFiles(files)
}
