import fs from 'node:fs'
import { readdir, readFile, realpath } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { BundleError, type BundleFault, fault } from './fault.ts'
import { FILES_MAX, UNPACKED_MAX_BYTES } from './format.ts'

export interface CommittedFolder {
	/** Id of the commit that HEAD stands at. */
	commit: string
	/** Every file of the agent's folder in that commit, by its path inside the folder. */
	files: Map<string, Uint8Array>
	/** What the working tree has otherwise, and what is therefore not in the bundle. */
	leftOut: { path: string; change: 'changed' | 'new' | 'deleted' }[]
}

const isLink = (mode: string) => mode === '120000'

/** Reads an agent's folder as its repository's last commit has it. Writes nothing, starts no git. */
export async function readCommit(directory: string): Promise<CommittedFolder> {
	const git = (await import('isomorphic-git')).default
	const folder = await realpath(directory).catch(() => {
		throw new BundleError([fault('', `there is no folder ${directory}`)])
	})
	const root = await git.findRoot({ fs, filepath: folder }).catch(() => {
		throw new BundleError([
			fault('', `${folder} is in no git repository; make one (git init) and commit the agent first`),
		])
	})
	const { gitdir, commit } = await head(root)
	const inside = relative(root, folder).split(sep).join('/')
	const cache = {}
	const source = { fs, dir: root, gitdir, cache }
	const files = new Map<string, Uint8Array>()
	const ids = new Map<string, string>()
	const faults: BundleFault[] = []
	let bytes = 0
	const readTree = async (oid: string, prefix: string): Promise<void> => {
		for (const entry of (await git.readTree({ ...source, oid })).tree) {
			const path = prefix + entry.path
			if (entry.type === 'tree') await readTree(entry.oid, `${path}/`)
			else if (entry.type === 'commit') faults.push(fault(path, 'is a submodule; a bundle holds files only'))
			else if (isLink(entry.mode)) faults.push(fault(path, 'is a symbolic link; a bundle holds files only'))
			else {
				const { blob } = await git.readBlob({ ...source, oid: entry.oid })
				bytes += blob.length
				if (files.size >= FILES_MAX || bytes > UNPACKED_MAX_BYTES) throw tooMuch()
				files.set(path, blob)
				ids.set(path, entry.oid)
			}
		}
	}
	const tree = await git
		.readTree({ ...source, oid: commit, filepath: inside || undefined })
		.catch((error: Error) => {
			if (error.name !== 'NotFoundError' && error.name !== 'ObjectTypeError') throw error
			throw new BundleError([
				fault('', `${inside} is not in the last commit (${commit.slice(0, 7)}); commit the agent first`),
			])
		})
	await readTree(tree.oid, '')
	if (faults.length > 0) throw new BundleError(faults)

	const ignored = (path: string) => git.isIgnored({ fs, dir: root, gitdir, filepath: path })
	return { commit, files, leftOut: await differences(root, folder, ids, ignored) }
}

function tooMuch(): BundleError {
	return new BundleError([
		fault(
			'',
			`the folder holds over ${FILES_MAX} files or ${UNPACKED_MAX_BYTES / 1024 / 1024} MiB in its commit`,
		),
	])
}

/** HEAD of a repository or of a linked worktree, whose own folder has HEAD while objects and branches lie in the common one. */
async function head(root: string): Promise<{ gitdir: string; commit: string }> {
	const git = (await import('isomorphic-git')).default
	const dotgit = join(root, '.git')
	const pointer = fs.statSync(dotgit).isFile()
		? (await readFile(dotgit, 'utf8')).replace(/^gitdir:\s*/, '').trim()
		: dotgit
	const own = resolve(root, pointer)
	const common = await readFile(join(own, 'commondir'), 'utf8').catch(() => '.')
	const gitdir = resolve(own, common.trim())
	try {
		const text = (await readFile(join(own, 'HEAD'), 'utf8')).trim()
		const ref = text.startsWith('ref:') ? text.slice(4).trim() : null
		return { gitdir, commit: ref ? await git.resolveRef({ fs, gitdir, ref }) : text }
	} catch {
		throw new BundleError([fault('', `${root} has no commit yet; commit the agent first`)])
	}
}

async function differences(
	root: string,
	folder: string,
	ids: Map<string, string>,
	ignored: (path: string) => Promise<boolean>,
): Promise<CommittedFolder['leftOut']> {
	const git = (await import('isomorphic-git')).default
	const found: CommittedFolder['leftOut'] = []
	const present = new Set<string>()
	const walk = async (directory: string): Promise<void> => {
		for (const entry of await readdir(directory, { withFileTypes: true })) {
			const file = join(directory, entry.name)
			const path = relative(folder, file).split(sep).join('/')
			const known = ids.get(path)
			if (entry.name === '.git') continue
			const place = relative(root, file).split(sep).join('/')
			// A pattern for folders (`node_modules/`) matches only what is written as one.
			if (known === undefined && (await ignored(entry.isDirectory() ? `${place}/` : place))) continue
			if (entry.isDirectory()) await walk(file)
			else if (known === undefined) found.push({ path, change: 'new' })
			else {
				present.add(path)
				const { oid } = await git.hashBlob({ object: await readFile(file) })
				if (oid !== known) found.push({ path, change: 'changed' })
			}
		}
	}
	await walk(folder)
	for (const path of ids.keys()) if (!present.has(path)) found.push({ path, change: 'deleted' })
	return found.sort((a, b) => (a.path < b.path ? -1 : 1))
}
