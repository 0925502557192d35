import type { Agent } from './agent.ts'
import { canonicalJson, sha256 } from './canonical.ts'
import { holdsTooMany, nestsTooDeep, TOO_DEEP, TOO_MANY } from './depth.ts'
import { addFaults, BundleError, type BundleFault, FAULTS_MAX, fault, pointerOf } from './fault.ts'
import { type AgentFolder, isPart, programOf, readFolder } from './folder.ts'
import {
	FORMAT,
	MANIFEST_FILE,
	MANIFEST_MAX_BYTES,
	type Manifest,
	manifestSchema,
	PACKED_MAX_BYTES,
} from './format.ts'
import type { PackageEntry } from './packages/index.ts'
import type { Script } from './script.ts'
import { splitMap } from './source-map.ts'
import { plainWords } from './words.ts'
import { unzip } from './zip.ts'

export interface Bundle extends AgentFolder {
	digest: string
	agent: Agent
	commit: string
	files: Map<string, Uint8Array>
	/** Compiled `tools.ts` and `agent.ts`. */
	scripts: Script[]
	/** Packages in them, as the builder says. */
	packages: PackageEntry[]
}

/**
 * Reads a bundle from anyone and believes nothing in it. `expected`: the digest it is to have.
 * Throws `BundleError` with every fault that can be told at once.
 */
export function readBundle(bytes: Uint8Array, expected?: string): Bundle {
	try {
		return read(bytes, expected)
	} catch (error) {
		// A stack or a list that ran over: of whatever kind, it is the bundle's doing.
		if (error instanceof RangeError)
			throw new BundleError([fault('', 'nests or repeats too much to be read')])
		throw error
	}
}

function read(bytes: Uint8Array, expected?: string): Bundle {
	if (bytes.length > PACKED_MAX_BYTES)
		throw new BundleError([fault('', `is over ${PACKED_MAX_BYTES / 1024 / 1024} MiB`)])
	const { files, faults } = unzip(bytes)
	if (faults.length > 0) throw new BundleError(faults)
	const raw = files.get(MANIFEST_FILE)
	if (!raw) throw new BundleError([fault(MANIFEST_FILE, 'is missing; this is no bundle')])
	files.delete(MANIFEST_FILE)

	const manifest = readManifest(raw)
	const digest = sha256(raw)
	if (expected !== undefined && digest !== expected)
		faults.push(fault('', `has the digest ${digest}, not ${expected}`))
	addFaults(faults, fileFaults(manifest, files))
	const { folder, faults: found } = readFolder(files)
	addFaults(faults, found)
	if (folder && canonicalJson(folder.agent) !== canonicalJson(manifest.agent)) {
		faults.push(fault(MANIFEST_FILE, 'says otherwise than agent.yaml', null, '/agent'))
	}
	const scripts = scriptsOf(files)
	if (!folder || faults.length > 0) throw new BundleError(faults, scripts)
	return { ...folder, digest, commit: manifest.commit, files, scripts, packages: manifest.packages ?? [] }
}

function readManifest(raw: Uint8Array): Manifest {
	const refuse = (message: string, pointer = ''): never => {
		throw new BundleError([fault(MANIFEST_FILE, message, null, pointer)])
	}
	if (raw.length > MANIFEST_MAX_BYTES) return refuse(`is over ${MANIFEST_MAX_BYTES / 1024 / 1024} MiB`)
	// A mark at its beginning would be dropped here and counted in the digest.
	const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(raw)
	if (text.startsWith('\ufeff')) return refuse('begins with a byte order mark (U+FEFF); leave it out')
	let value: unknown
	try {
		value = JSON.parse(text)
	} catch {
		return refuse('is not JSON')
	}
	if (holdsTooMany(value)) return refuse(TOO_MANY)
	if (nestsTooDeep(value)) return refuse(TOO_DEEP)
	const { format, berth } = (value ?? {}) as { format?: unknown; berth?: unknown }
	if (typeof format === 'number' && format > FORMAT) {
		const reader =
			typeof berth === 'string' && /^[\w.-]{1,32}$/.test(berth) ? `Berth ${berth}` : 'a newer Berth'
		return refuse(
			`has format ${format}, which ${reader} or later reads; this one reads format ${FORMAT}`,
			'/format',
		)
	}
	const parsed = manifestSchema.safeParse(value, { error: plainWords })
	if (!parsed.success) {
		throw new BundleError(
			parsed.error.issues
				.slice(0, FAULTS_MAX)
				.map(({ path, message }) => fault(MANIFEST_FILE, message, null, pointerOf(path))),
		)
	}
	// One spelling only: the digest is of the canonical form, and so no second text can have the same.
	let canonical: string
	try {
		canonical = canonicalJson(value)
	} catch {
		return refuse('holds what canonical JSON cannot')
	}
	return canonical === text ? parsed.data : refuse('is not in canonical form (RFC 8785)')
}

function* fileFaults(manifest: Manifest, files: Map<string, Uint8Array>): Iterable<BundleFault> {
	const listed = new Set<string>()
	for (const { path, size, sha256: digest } of manifest.files) {
		if (listed.has(path)) yield fault(path, 'is listed twice')
		listed.add(path)
		const content = files.get(path)
		if (!content) yield fault(path, 'is listed and missing')
		else if (content.length !== size) yield fault(path, `has ${content.length} bytes, listed with ${size}`)
		else if (sha256(content) !== digest) yield fault(path, 'has another SHA-256 than listed')
	}
	for (const path of files.keys()) {
		if (!listed.has(path)) yield fault(path, 'is not listed in bundle.json')
		else if (!isPart(path, manifest.agent.prompt) && !programOf(path, 'js'))
			yield fault(path, 'is no part of an agent')
	}
}

function scriptsOf(files: Map<string, Uint8Array>): Bundle['scripts'] {
	return [...files].flatMap(([name, bytes]) => {
		const program = programOf(name, 'js')
		return program ? [{ name, ...program, ...splitMap(new TextDecoder().decode(bytes)) }] : []
	})
}
