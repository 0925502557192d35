import { zipSync } from 'fflate'
import type { Agent } from './agent.ts'
import { AGENT_FILE, parseAgent } from './agent-yaml.ts'
import { canonicalJson, sha256 } from './canonical.ts'
import { type CommittedFolder, readCommit } from './commit.ts'
import { addFaults, BundleError, type BundleFault, fault, pointerOf } from './fault.ts'
import { isPart, programOf, readFolder } from './folder.ts'
import { digestOf, FORMAT, FORMAT_READ_BY, MANIFEST_FILE, type Manifest, PACKED_MAX_BYTES } from './format.ts'
import { collisionKey, pathFault } from './path.ts'
import { compilePrograms } from './program.ts'
import { defaultFaults } from './schema/index.ts'

export interface BuiltBundle {
	/** `<name>.agent` */
	fileName: string
	bytes: Uint8Array
	digest: string
	manifest: Manifest
	/** Uncommitted: in the working tree, not in the bundle. */
	leftOut: CommittedFolder['leftOut']
	/** Committed beside the agent but no part of it. */
	unused: string[]
}

/** Time of every file in the zip: the format's own beginning, in whatever zone the machine is, so that bytes repeat. */
const ZIP_TIME = new Date(1980, 0, 1)

/** Builds a bundle from the committed version of a folder. The same commit gives the same bytes. */
export async function buildBundle(directory: string): Promise<BuiltBundle> {
	const { commit, files, leftOut } = await readCommit(directory)
	const { folder, faults } = readFolder(files)
	if (folder && faults.length === 0) addFaults(faults, await inputDefaultFaults(folder.agent, files))
	const programs = await compilePrograms(files)
	addFaults(faults, programs.faults)
	const parts = new Map<string, Uint8Array>()
	for (const path of [...files.keys()].sort()) {
		const script = programs.scripts.get(path.replace(/\.ts$/, '.js'))
		if (programOf(path, 'ts') && script !== undefined)
			parts.set(path.replace(/\.ts$/, '.js'), Buffer.from(script))
		else if (folder && isPart(path, folder.agent.prompt)) parts.set(path, files.get(path) as Uint8Array)
	}
	addFaults(faults, nameFaults([...parts.keys()]))
	if (!folder || faults.length > 0) throw new BundleError(faults)

	const paths = [...parts.keys()].sort()
	const manifest: Manifest = {
		format: FORMAT,
		berth: FORMAT_READ_BY,
		agent: folder.agent,
		commit,
		files: paths.map((path) => {
			const bytes = parts.get(path) as Uint8Array
			return { path, size: bytes.length, sha256: sha256(bytes) }
		}),
	}
	const entries = [
		[MANIFEST_FILE, Buffer.from(canonicalJson(manifest))] as const,
		...paths.map((path) => [path, parts.get(path) as Uint8Array] as const),
	]
	const bytes = zipSync(Object.fromEntries(entries), { level: 9, mtime: ZIP_TIME })
	if (bytes.length > PACKED_MAX_BYTES)
		throw new BundleError([fault('', `the bundle is over ${PACKED_MAX_BYTES / 1024 / 1024} MiB`)])
	const unused = [...files.keys()].filter(
		(path) => /^(?:skills|memory)\//.test(path) && !parts.has(path) && !path.endsWith('.ts'),
	)
	return {
		fileName: `${folder.agent.name}.agent`,
		bytes,
		digest: digestOf(manifest),
		manifest,
		leftOut,
		unused,
	}
}

/** With the lines of agent.yaml, which is read for them once more. */
async function inputDefaultFaults({ inputs }: Agent, files: Map<string, Uint8Array>): Promise<BundleFault[]> {
	const found = await defaultFaults(inputs)
	if (found.length === 0) return []
	const { lineOf } = parseAgent(Buffer.from(files.get(AGENT_FILE) as Uint8Array).toString('utf8'))
	return found.map(({ path, message }) => {
		const at = ['inputs', ...path]
		return fault(AGENT_FILE, message, lineOf(at), pointerOf(at))
	})
}

function nameFaults(paths: string[]): BundleFault[] {
	const faults: BundleFault[] = []
	const taken = new Map<string, string>()
	for (const path of paths) {
		const wrong = pathFault(path)
		if (wrong) faults.push(fault(path, wrong))
		const twin = taken.get(collisionKey(path))
		if (twin) faults.push(fault(path, `would be one file with ${twin} where case is ignored`))
		taken.set(collisionKey(path), path)
	}
	return faults
}
