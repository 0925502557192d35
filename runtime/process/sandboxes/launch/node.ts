/** The command of the sandbox process itself. */
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Layers of every launcher. */
export const NODE_LAYERS = [
	'a process per deployment with code, an isolate per run',
	'empty environment',
	"Node's permission model: no files, no child processes",
]

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
		// Isolates beside Node's own share the read-only heap that a snapshot would bring.
		'--no-node-snapshot',
		'--permission',
		'--allow-addons',
		...readable,
		'--no-warnings',
		'--max-old-space-size=256',
		join(distDir, 'sandbox.mjs'),
	]
	return ['/usr/bin/env', '-i', 'TZ=UTC', ...node]
}
