/**
 * Packages from npm's own cache, which keeps each tarball under the SHA-512 that the lockfile names. What is read is what
 * the lockfile means, whatever `node_modules` holds: the lockfile has no digest of the files there.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { LOCK_FILE, type Locked } from './lock.ts'
import { readTarball } from './tarball.ts'

export interface Package extends Locked {
	files: Map<string, Uint8Array>
	/** Its `package.json`. */
	json: Record<string, unknown>
}

/** `berth dev` builds again and again. */
const KEPT_MAX = 64
const kept = new Map<string, Map<string, Uint8Array>>()

const cacheFolder = () =>
	process.env.npm_config_cache || process.env.NPM_CONFIG_CACHE || join(homedir(), '.npm')

/** A text: why not, and what to do. */
export async function readPackage(locked: Locked): Promise<Package | string> {
	const named = `${locked.name} ${locked.version}`
	if (locked.integrity === undefined)
		return `${named} comes from a folder or inside another package, and ${LOCK_FILE} has no digest of it: use its published package, or copy its files into the agent's folder`
	const base64 = /(?:^|\s)sha512-([A-Za-z0-9+/]{86}==)/.exec(locked.integrity)?.[1]
	if (!base64) return `${LOCK_FILE} has no SHA-512 of ${named}: remove its entry and run npm install`
	const files = kept.get(base64) ?? (await verified(named, base64))
	if (typeof files === 'string') return files
	if (kept.size >= KEPT_MAX) kept.clear()
	kept.set(base64, files)
	const json = jsonOf(files.get('package.json'))
	if (!json) return `${named} has no package.json that can be read`
	const wrong = builtAtInstall(json, files)
	return wrong ? `${named} ${wrong}: use a package in plain JavaScript` : { ...locked, files, json }
}

async function verified(named: string, base64: string): Promise<Map<string, Uint8Array> | string> {
	const hex = Buffer.from(base64, 'base64').toString('hex')
	const folder = cacheFolder()
	const file = join(
		folder,
		'_cacache',
		'content-v2',
		'sha512',
		hex.slice(0, 2),
		hex.slice(2, 4),
		hex.slice(4),
	)
	const packed = await readFile(file).catch(() => undefined)
	if (!packed) return `${named} is not in npm's cache (${folder}): run npm ci in the folder of ${LOCK_FILE}`
	if (createHash('sha512').update(packed).digest('base64') !== base64)
		return `${named} in npm's cache (${folder}) is not the one of ${LOCK_FILE}: run npm cache verify, then npm ci`
	try {
		return readTarball(packed)
	} catch (error) {
		return `the tarball of ${named} ${(error as Error).message}`
	}
}

/** npm runs these scripts, or node-gyp, on the machine where a package is installed. */
function builtAtInstall({ scripts }: Record<string, unknown>, files: Map<string, Uint8Array>): string | null {
	const script = ['preinstall', 'install', 'postinstall'].find((name) => Object.hasOwn(Object(scripts), name))
	if (script) return `has an install script (${script}), which a build does not run`
	return files.has('binding.gyp') ? 'has native code (binding.gyp)' : null
}

export function jsonOf(bytes: Uint8Array | undefined): Record<string, unknown> | undefined {
	try {
		const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
		return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
	} catch {
		return undefined
	}
}
