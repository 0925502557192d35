import { readdir, readFile, realpath } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { CommittedFolder } from './commit.ts'
import { BundleError, type BundleFault, fault } from './fault.ts'
import { FILES_MAX, UNPACKED_MAX_BYTES } from './format.ts'

/** Git's own word for no commit. */
export const NO_COMMIT = '0'.repeat(40)
/** Never a part of an agent, and large. */
const skipped = (name: string) => name === 'node_modules' || name.startsWith('.')

/** Reads an agent's folder as it stands on disk, for `berth dev` and `berth test`. What is deployed is read from a commit. */
export async function readWorkingTree(directory: string): Promise<CommittedFolder> {
	const folder = await realpath(directory).catch(() => {
		throw new BundleError([fault('', `there is no folder ${directory}`)])
	})
	const files = new Map<string, Uint8Array>()
	const faults: BundleFault[] = []
	let bytes = 0
	const walk = async (at: string): Promise<void> => {
		for (const entry of await readdir(at, { withFileTypes: true })) {
			if (skipped(entry.name)) continue
			const file = join(at, entry.name)
			const path = relative(folder, file).split(sep).join('/')
			if (entry.isSymbolicLink()) faults.push(fault(path, 'is a symbolic link; a bundle holds files only'))
			else if (entry.isDirectory()) await walk(file)
			else if (entry.isFile() && !path.endsWith('.agent')) {
				const content = await readFile(file)
				bytes += content.length
				if (files.size >= FILES_MAX || bytes > UNPACKED_MAX_BYTES) throw tooMuch()
				files.set(path, content)
			}
		}
	}
	await walk(folder)
	if (faults.length > 0) throw new BundleError(faults)
	return { commit: NO_COMMIT, files, leftOut: [] }
}

function tooMuch(): BundleError {
	const most = `${FILES_MAX} files or ${UNPACKED_MAX_BYTES / 1024 / 1024} MiB`
	return new BundleError([fault('', `the folder holds over ${most}`)])
}
