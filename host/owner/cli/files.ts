import { readFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import type { Client, Deployment } from '../client/index.ts'
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
	const properties = (agent.inputs.properties ?? {}) as Record<string, { type?: unknown }>
	for (const pair of pairs) {
		const cut = pair.indexOf('=')
		if (cut < 1) throw new UsageError(`--file takes NAME=PATH, not "${pair}"`)
		const [name, path] = [pair.slice(0, cut), pair.slice(cut + 1)]
		const type = TYPES[extname(path).toLowerCase()]
		const { file } = await client.files.upload(url, bytesOf(path), { name: basename(path), type })
		const before = all[name]
		all[name] =
			properties[name]?.type === 'array' ? [...(Array.isArray(before) ? before : []), { file }] : { file }
	}
	return all
}

function bytesOf(path: string): Uint8Array {
	try {
		return readFileSync(path)
	} catch (error) {
		throw new CommandError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`)
	}
}
