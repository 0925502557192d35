import type { Dropped } from './dropped.ts'

/** As the host's limit (bundles/README.md, "Limits of a bundle"), which decides. */
const packedMaxBytes = 10 * 1024 * 1024
const manifestMaxBytes = 4 * 1024 * 1024
const manifestFile = 'bundle.json'

/** What a bundle says of itself, read in the browser before anything is sent; the host checks all of it. */
export interface Peeked {
	name: string
	description: string | undefined
	provider: string | undefined
	files: { count: number; bytes: number }
}

/** Throws, with what to do, where the file cannot be a bundle. */
export async function peek({ bytes, fileName }: Dropped): Promise<Peeked> {
	if (bytes.length > packedMaxBytes) throw new Error(`${fileName} is over 10 MiB, and no bundle is.`)
	const text = await manifestOf(bytes).catch(() => undefined)
	if (text === undefined)
		throw new Error(`${fileName} is no bundle. Choose the .agent file that berth bundle has made.`)
	const { agent = {}, files = [] } = JSON.parse(text)
	const sizes = (Array.isArray(files) ? files : []).map(({ size }) => Number(size) || 0)
	return {
		name: typeof agent.name === 'string' ? agent.name : 'agent',
		description: typeof agent.description === 'string' ? agent.description : undefined,
		provider: typeof agent.model?.provider === 'string' ? agent.model.provider : undefined,
		files: { count: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) },
	}
}

async function manifestOf(bytes: Uint8Array): Promise<string | undefined> {
	const { unzipSync } = await import('fflate')
	const filter = ({ name, originalSize }: { name: string; originalSize: number }) =>
		name === manifestFile && originalSize <= manifestMaxBytes
	const found = unzipSync(bytes, { filter })[manifestFile]
	if (!found) return undefined
	const text = new TextDecoder('utf-8', { fatal: true }).decode(found)
	JSON.parse(text)
	return text
}
