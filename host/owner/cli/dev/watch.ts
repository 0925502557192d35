import { type FSWatcher, readdirSync, watch } from 'node:fs'
import { join } from 'node:path'

/** Editors write a file more than once. */
const SETTLE_MS = 25
const SKIPPED = /^(?:\..*|node_modules|cases|agent\.d\.ts|.*\.test\.ts|.*\.new|.*~)$/

/**
 * Calls back once after a change below a folder. Each folder has a watcher of its own: Node's recursive one loses a file
 * that an editor replaces by another.
 */
export function watchFolder(
	root: string,
	ignored: (file: string) => boolean,
	changed: (since: number) => void,
): () => void {
	const watchers = new Map<string, FSWatcher>()
	let timer: NodeJS.Timeout | undefined
	let since = 0
	const heard = (file: string) => {
		if (ignored(file)) return
		if (!timer) since = performance.now()
		clearTimeout(timer)
		timer = setTimeout(() => {
			timer = undefined
			look(root)
			changed(since)
		}, SETTLE_MS)
	}
	/** Folders that are new. */
	const look = (folder: string) => {
		if (!watchers.has(folder)) {
			const watcher = watch(folder, (_, name) => {
				if (name && !SKIPPED.test(name)) heard(join(folder, name))
			})
			// It is gone; its parent tells of that.
			watcher.on('error', () => {
				watcher.close()
				watchers.delete(folder)
			})
			watchers.set(folder, watcher)
		}
		for (const entry of entriesOf(folder))
			if (entry.isDirectory() && !SKIPPED.test(entry.name)) look(join(folder, entry.name))
	}
	look(root)
	return () => {
		clearTimeout(timer)
		for (const watcher of watchers.values()) watcher.close()
	}
}

function entriesOf(folder: string) {
	try {
		return readdirSync(folder, { withFileTypes: true })
	} catch {
		return []
	}
}
