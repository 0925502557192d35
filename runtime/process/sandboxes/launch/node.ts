/** The command of the sandbox process itself. */
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Layers of every launcher. */
export const NODE_LAYERS = [
	'a process per deployment with code, an isolate per run',
	'empty environment',
	"Node's permission model: no files, no child processes",
]

/**
 * Builds of Node whose snapshot leaves V8's read-only heap as V8 made it. All isolates of a process share the one of the
 * first, and those of isolated-vm are made for V8's own: elsewhere Node starts without its snapshot, which takes 0.05 s of
 * CPU more. A test compares the two byte by byte (test/system/runtime/sandboxes/snapshot.test.ts).
 */
const SAME_READ_ONLY_HEAP = ['v24.21.0 linux x64']

/** Directories that the sandbox's code is loaded from. */
export function codeDirs(distDir: string): string[] {
	const addon = createRequire(join(distDir, 'sandbox.mjs')).resolve('isolated-vm/package.json')
	const loader = createRequire(addon).resolve('node-gyp-build/package.json')
	return [distDir, dirname(addon), dirname(loader)]
}

export function nodeCommand(distDir: string): string[] {
	// The addon's loader looks for Alpine by this file.
	const readable = [...codeDirs(distDir), '/etc/alpine-release'].map((path) => `--allow-fs-read=${path}`)
	const node = [
		process.execPath,
		...snapshotFlags(),
		'--permission',
		'--allow-addons',
		...readable,
		'--no-warnings',
		'--max-old-space-size=256',
		join(distDir, 'sandbox.mjs'),
	]
	return ['/usr/bin/env', '-i', 'TZ=UTC', ...node]
}

export function snapshotFlags(build = `${process.version} ${process.platform} ${process.arch}`): string[] {
	return SAME_READ_ONLY_HEAP.includes(build) ? [] : ['--no-node-snapshot']
}
