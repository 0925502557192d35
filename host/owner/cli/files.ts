import { readFileSync, statSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { FILE_MAX_KB, filePlaces } from '../../../bundles/index.ts'
import { ApiError, type Client, type Deployment } from '../client/index.ts'
import { CommandError, UsageError } from './failure.ts'

const TYPES: Record<string, string> = {
	'.csv': 'text/csv',
	'.gif': 'image/gif',
	'.html': 'text/html',
	'.jpeg': 'image/jpeg',
	'.jpg': 'image/jpeg',
	'.json': 'application/json',
	'.md': 'text/markdown',
	'.pdf': 'application/pdf',
	'.png': 'image/png',
	'.svg': 'image/svg+xml',
	'.txt': 'text/plain',
	'.webp': 'image/webp',
	'.xml': 'application/xml',
}

/** `--file NAME=PATH`: uploads each, and gives the inputs that name them. */
export async function withFiles(
	client: Client,
	{ url, agent }: Pick<Deployment, 'url' | 'agent'>,
	inputs: Record<string, unknown>,
	pairs: string[] = [],
): Promise<Record<string, unknown>> {
	const all = { ...inputs }
	const places = filePlaces(agent.inputs)
	const files = pairs.map((pair) => {
		const cut = pair.indexOf('=')
		const [name, path] = [pair.slice(0, cut), pair.slice(cut + 1)]
		if (cut < 1 || path === '') throw new UsageError(`--file takes NAME=PATH, not "${pair}"`)
		if (path === '-')
			throw new UsageError(
				`--file ${pair}: standard input is not read; name a file, or ./- for one of that name`,
			)
		const place = places.find((one) => one.name === name)
		if (!place) {
			const names = places.map((one) => one.name).join(', ')
			throw new UsageError(
				`${name} is no input of type file; ${names ? `files go to: ${names}` : 'the agent takes no files'}`,
			)
		}
		return { name, path, list: place.list }
	})
	const text = places.find(({ name }) => typeof inputs[name] === 'string')
	if (text) throw new UsageError(`${text.name} takes a file, not text: --file ${text.name}=PATH`)
	for (const [i, { name, list }] of files.entries())
		if (!list && (Object.hasOwn(inputs, name) || files.findIndex((one) => one.name === name) < i))
			throw new UsageError(`${name} is given twice, and takes one file`)
	for (const { name, path, list } of files) {
		const type = TYPES[extname(path).toLowerCase()]
		const uploading = client.files.upload(url, bytesOf(path), { name: basename(path), type })
		const { file } = await about(path, uploading)
		const before = all[name]
		all[name] = list ? [...(Array.isArray(before) ? before : []), { file }] : { file }
	}
	return all
}

/** What the host says of a file that it was sent names the file. */
export async function about<T>(path: string, sending: Promise<T>): Promise<T> {
	try {
		return await sending
	} catch (error) {
		if (!(error instanceof ApiError)) throw error
		const detail = `${path}: ${error.message}`
		throw new ApiError(error.status, error.code, detail, { ...error.problem, detail }, error)
	}
}

function bytesOf(path: string): Uint8Array {
	try {
		const stat = statSync(path)
		if (!stat.isFile()) throw new CommandError(`${path} is no regular file`)
		if (stat.size > FILE_MAX_KB * 1024)
			throw new CommandError(`${path} is over ${FILE_MAX_KB / 1024} MiB, the most that a file has`)
		return readFileSync(path)
	} catch (error) {
		if (error instanceof CommandError) throw error
		throw new CommandError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`)
	}
}
