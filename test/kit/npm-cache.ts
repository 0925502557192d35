import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'

/** Files of a package, by path. */
export type PackageFiles = Record<string, string | Uint8Array>

/** A package that was installed for this project, as it lies in `node_modules`. */
export function installed(name: string): PackageFiles {
	const root = join(import.meta.dirname, '../../node_modules', name)
	const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
	return Object.fromEntries(
		files.map(({ parentPath, name: file }) => {
			const path = join(parentPath, file)
			return [path.slice(root.length + 1), readFileSync(path)]
		}),
	)
}

/**
 * Puts packages into an npm cache below `folder`, each as the tarball that npm would have fetched, and makes the files of
 * an agent that depends on them. By their path: `node_modules/a`. Those at the top are its dependencies.
 */
export function npmCache(
	folder: string,
	packages: Record<string, PackageFiles>,
): { cache: string; files: { 'package.json': string; 'package-lock.json': string }; tarballs: string[] } {
	const dependencies: Record<string, string> = {}
	const locked: Record<string, object> = {}
	const tarballs: string[] = []
	for (const [path, files] of Object.entries(packages)) {
		const { name, version = '1.0.0' } = JSON.parse(Buffer.from(files['package.json'] ?? '{}').toString())
		const packed = gzipSync(tar(files))
		const digest = createHash('sha512').update(packed)
		const hex = digest.copy().digest('hex')
		const file = join(folder, '_cacache/content-v2/sha512', hex.slice(0, 2), hex.slice(2, 4), hex.slice(4))
		mkdirSync(dirname(file), { recursive: true })
		writeFileSync(file, packed)
		tarballs.push(file)
		locked[path] = { name, version, integrity: `sha512-${digest.digest('base64')}` }
		if (path.lastIndexOf('node_modules/') === 0) dependencies[path.slice('node_modules/'.length)] = version
	}
	const lock = { name: 'agent', lockfileVersion: 3, packages: { '': { dependencies }, ...locked } }
	return {
		cache: folder,
		files: { 'package.json': JSON.stringify({ dependencies }), 'package-lock.json': JSON.stringify(lock) },
		tarballs,
	}
}

const BLOCK = 512

/** A long name stands in a pax record before its file, as npm writes it. */
function tar(files: PackageFiles): Buffer {
	const blocks = Object.entries(files).flatMap(([path, text]) => {
		const name = `package/${path}`
		const record = ` path=${name}\n`
		const length = Buffer.byteLength(record) + 3
		const pax = Buffer.byteLength(name) > 99 ? entry('pax', 'x', Buffer.from(`${length}${record}`)) : []
		return [...pax, ...entry(name.slice(0, 99), '0', Buffer.from(text))]
	})
	return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)])
}

function entry(name: string, type: string, content: Buffer): Buffer[] {
	const header = Buffer.alloc(BLOCK)
	header.write(name, 0)
	header.write(`0000644\0`, 100)
	header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124)
	header.write(type, 156)
	header.write('ustar\x0000', 257)
	return [header, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)]
}
