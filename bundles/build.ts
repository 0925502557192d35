import { type Agent, defaultLimits } from './agent.ts'
import { AGENT_FILE, parseAgent } from './agent-yaml.ts'
import { canonicalJson, sha256 } from './canonical.ts'
import { type CommittedFolder, readCommit } from './commit.ts'
import { addFaults, BundleError, type BundleFault, elsewhere, fault, pointerOf } from './fault.ts'
import { isPart, programOf, readFolder } from './folder.ts'
import { digestOf, FORMAT, FORMAT_READ_BY, MANIFEST_FILE, type Manifest, PACKED_MAX_BYTES } from './format.ts'
import type { LoadedScript, OwnTool } from './loaded/index.ts'
import { collisionKey, pathFault } from './path.ts'
import { compilePrograms } from './program.ts'
import { defaultFaults } from './schema/index.ts'
import { splitMap } from './source-map.ts'

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
	/** Its own, where the programs were examined. */
	tools: OwnTool[]
}

/** Time of every file in the zip: the format's own beginning, in whatever zone the machine is, so that bytes repeat. */
const ZIP_TIME = new Date(1980, 0, 1)

/** What is found out about programs by loading them and checking their types. Scripts: those that compile. */
export type Examine = (parts: {
	files: Map<string, Uint8Array>
	scripts: LoadedScript[]
	memoryMb: number
}) => Promise<{ faults: BundleFault[]; tools: OwnTool[] }>

/** Builds a bundle from the committed version of a folder. The same commit gives the same bytes. */
export async function buildBundle(directory: string, examine?: Examine): Promise<BuiltBundle> {
	return buildFrom(await readCommit(directory), examine)
}

/** From files that were read before (`readWorkingTree`). */
export async function buildFrom(
	{ commit, files, leftOut }: CommittedFolder,
	examine: Examine = unexamined,
): Promise<BuiltBundle> {
	const { folder, sound, faults } = readFolder(files)
	addFaults(faults, await inputDefaultFaults(sound, faults, files))
	const programs = await compilePrograms({ commit, files })
	addFaults(faults, programs.faults)
	const scripts = [...programs.scripts].flatMap(([name, text]) => scriptOf(name, text))
	const { memory_mb: memoryMb } = folder?.agent.limits ?? defaultLimits
	const examined = await examine({ files, scripts, memoryMb })
	addFaults(faults, elsewhere(examined.faults, faults))
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
		...(programs.packages.length > 0 && { packages: programs.packages }),
		files: paths.map((path) => {
			const bytes = parts.get(path) as Uint8Array
			return { path, size: bytes.length, sha256: sha256(bytes) }
		}),
	}
	const entries = [
		[MANIFEST_FILE, Buffer.from(canonicalJson(manifest))] as const,
		...paths.map((path) => [path, parts.get(path) as Uint8Array] as const),
	]
	// Here, for it takes 30 ms of the start of every process that builds nothing.
	const { zipSync } = await import('fflate')
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
		tools: examined.tools,
	}
}

const unexamined: Examine = async () => ({ faults: [], tools: [] })

/** Nothing where it did not compile. */
function scriptOf(name: string, text: string): LoadedScript[] {
	const program = programOf(name, 'js')
	return program && text !== '' ? [{ name, ...program, ...splitMap(text) }] : []
}

/** With the lines of agent.yaml, which is read for them once more. */
async function inputDefaultFaults(
	{ inputs }: Partial<Agent>,
	told: BundleFault[],
	files: Map<string, Uint8Array>,
): Promise<BundleFault[]> {
	// A schema that is wrong says nothing of its defaults.
	if (!inputs || told.some(({ file, pointer }) => file === AGENT_FILE && pointer.startsWith('/inputs')))
		return []
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
