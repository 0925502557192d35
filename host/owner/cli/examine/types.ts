/** Checks the types of an agent's programs, and of its tests, with Berth's own TypeScript, where it is installed. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { constants, setPriority, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import {
	agentTypes,
	type BundleFault,
	packageRoot,
	parseAgent,
	TYPES_FILE,
	typedMembers,
} from '../../../../bundles/index.ts'
import { inOurWords, type Said } from './words.ts'

const CHECK_MAX_MS = 60_000
const OUTPUT_MAX_BYTES = 4 * 1024 * 1024
const PROGRAM = /^(?:agent|skills\/[^/]+\/tools)\.ts$/
export const TEST = /(?:^|\/)[^/]+\.test\.ts$/
/** Of what may be imported; the texts are declared in globals.d.ts. */
const SOURCE = /\.(?:ts|js|json)$/
/** `agent.ts(3,7): error TS2322: …`; the lines after it that are indented say more. */
const ERROR = /^(.+?)\((\d+),\d+\): error TS\d+: (.*)$/
/** It has read the sources, and told about them. */
const ERRORS = new RegExp(ERROR, 'm')

export interface Typed {
	faults: BundleFault[]
	/** Why nothing was checked, where it should have been. */
	unchecked?: string
}

export interface Checked {
	/** The agent's folder: types of packages are read from its `node_modules`. */
	directory: string
	/** Those too. A bundle has none, and they keep nobody from deploying. */
	tests: boolean
	/** Ends the check, which runs behind other work. */
	signal?: AbortSignal | undefined
}

export async function typeFaults(
	files: Map<string, Uint8Array>,
	{ directory, tests, signal }: Checked,
): Promise<Typed> {
	const programs = [...files.keys()].filter((path) => PROGRAM.test(path) || (tests && TEST.test(path)))
	if (programs.length === 0) return { faults: [] }
	const compiler = compilerFile()
	if (!compiler)
		return { faults: [], unchecked: "Types were not checked: Berth's folder has no package typescript." }
	const folder = await realpath(await mkdtemp(join(tmpdir(), 'berth-types-')))
	try {
		await lay(folder, files, programs)
		const modules = join(resolve(directory), 'node_modules')
		const installed = existsSync(modules)
		if (installed) await symlink(modules, join(folder, 'node_modules'))
		const { code, output } = await compile(compiler, folder, signal)
		const found = output
			.split('\n')
			.flatMap(saidIn)
			.filter(({ file }) => files.has(file))
		// Of several places in a line, one is told.
		const once = [...new Map(found.map((said) => [JSON.stringify(said), said])).values()]
		const told = once.map((said) => inOurWords(said, { files, installed, test: TEST.test(said.file) }))
		const faults = told.filter((one) => typeof one === 'object')
		if (told.includes('unchecked'))
			return { faults, unchecked: 'Types of packages were not checked: run npm ci first.' }
		if (code === 0 || ERRORS.test(output)) return { faults }
		return { faults, unchecked: `Types were not checked: ${output.slice(0, 500)}` }
	} finally {
		await rm(folder, { recursive: true, force: true })
	}
}

function compilerFile(): string | null {
	try {
		const file = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
		return existsSync(file) ? file : null
	} catch {
		return null
	}
}

/** The commit's files, and settings of ours: those of its own might say anything. */
async function lay(folder: string, files: Map<string, Uint8Array>, programs: string[]): Promise<void> {
	for (const [path, bytes] of files) {
		if (!SOURCE.test(path) || /(?:^|\/)(?:node_modules|tsconfig\.json)(?:\/|$)/.test(path)) continue
		const file = join(folder, path)
		await mkdir(dirname(file), { recursive: true })
		await writeFile(file, bytes)
	}
	const types = join(packageRoot(), 'bundles', 'types')
	const members = typedMembers(parseAgent(Buffer.from(files.get('agent.yaml') ?? []).toString('utf8')))
	const known = join(folder, TYPES_FILE)
	await mkdir(dirname(known), { recursive: true })
	await writeFile(known, members ? agentTypes(members, files.keys()) : '')
	const settings = {
		compilerOptions: {
			target: 'es2024',
			lib: ['es2024'],
			module: 'preserve',
			moduleResolution: 'bundler',
			resolveJsonModule: true,
			allowImportingTsExtensions: true,
			strict: true,
			noEmit: true,
			skipLibCheck: true,
			types: [],
			paths: { berth: [join(types, 'index.d.ts')], 'berth/test': [join(types, 'test.d.ts')] },
		},
		files: [...programs, TYPES_FILE, ...['globals.d.ts', 'node-test.d.ts'].map((name) => join(types, name))],
	}
	await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings))
}

function compile(
	compiler: string,
	folder: string,
	signal?: AbortSignal,
): Promise<{ code: unknown; output: string }> {
	const options = { cwd: folder, timeout: CHECK_MAX_MS, maxBuffer: OUTPUT_MAX_BYTES, signal }
	return new Promise((resolve) => {
		const args = [compiler, '--pretty', 'false']
		const { pid } = execFile(process.execPath, args, options, (error, stdout, stderr) =>
			resolve({ code: error ? error.code : 0, output: stdout || stderr || String(error?.message ?? '') }),
		)
		if (signal && pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW)
	})
}

function saidIn(line: string): Said[] {
	const [, file, number, message] = ERROR.exec(line) ?? []
	return file && message ? [{ file, line: Number(number), message }] : []
}
