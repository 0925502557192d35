#!/usr/bin/env node
// Starts Berth's own programs on the Node that package.json pins, from any Node 20 or newer. Plain JavaScript, because
// nothing else runs there.
import module, { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

// Without an import, which reads every export: that of these two would cost each command 6 ms.
const require = createRequire(import.meta.url)
const { existsSync, realpathSync } = require('node:fs')

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const dist = join(root, 'dist')
const args = process.argv.slice(2)
/**
 * glibc's allocator in host and runtime gives memory back as soon as it is free. From 8 KiB on a piece has pages of its
 * own (at most as many as keep well below the kernel's bound of 65,530 mappings): between the small ones that stay, it
 * would keep 25 to 50 KB for every deployment the process ever had. What a run costs does not change by it.
 */
const MALLOC = {
	MALLOC_ARENA_MAX: '2',
	MALLOC_TRIM_THRESHOLD_: '131072',
	MALLOC_MMAP_THRESHOLD_: '8192',
	MALLOC_MMAP_MAX_: '16384',
}
/**
 * V8's young objects in the host, in MB; the runtime has the same (runtime/supervisor/spawn.ts). From its default of one
 * up, a start would collect them a dozen times. One thread collects them, and one beside it compiles and marks: where
 * others want the cores, too, four threads cost a run 7 % more CPU. The rest of the heap: runtime/lib/heap.ts.
 */
const HEAP = [
	'--min-semi-space-size=4',
	'--max-semi-space-size=8',
	'--no-parallel-scavenge',
	'--v8-pool-size=1',
]
/**
 * Of root's capabilities, what a host is started with: what it gives its runtime (runtime/lib/capabilities.ts), files of
 * the embedded database's user, the namespace in which that database is `nobody` (a map of root's own id needs
 * `setfcap` since Linux 5.12), and ports below 1024.
 */
const KEPT = [
	...['sys_admin', 'sys_chroot', 'net_admin', 'setuid', 'setgid', 'setpcap', 'kill', 'dac_override'],
	...['chown', 'fowner', 'setfcap', 'net_bind_service'],
	...((process.env.SANDBOX_REQUIRE ?? '').includes('descriptors') ? ['sys_ptrace'] : []),
]
/** What dist/ is built for. */
const OWN_NODE = 24
const serve = args[0] === 'serve' && args.length === 1

if (!existsSync(join(dist, 'cli.mjs'))) await import(pathToFileURL(join(root, '.tools', 'setup.mjs')).href)
const node = pinnedNode()
if (serve && !existsSync(join(dist, 'host.mjs')))
	giveUp('This is the client alone. To run a host, install the whole package on its machine.')
// `npm run berth -- …` changes to the package's folder; paths in the arguments are meant from where it was typed.
if (!serve && process.env.npm_lifecycle_event === 'berth' && process.env.INIT_CWD)
	process.chdir(process.env.INIT_CWD)
// On the pinned Node already: another process would only cost its start.
if (!serve && realpathSync(process.execPath) === realpathSync(node)) {
	// What the last command compiled is read, where dist/ may be written: 12 of a command's 150 ms.
	module.enableCompileCache(join(dist, '.compiled'))
	await import(pathToFileURL(join(dist, 'cli.mjs')).href)
} else await launch()

async function launch() {
	const command = serve
		? withFewCapabilities([
				node,
				...HEAP,
				'--import',
				join(dist, 'compile-cache.mjs'),
				join(dist, 'host.mjs'),
			])
		: [node, join(dist, 'cli.mjs'), ...args]
	const child = require('node:child_process').spawn(command[0], command.slice(1), {
		env: serve ? await hostEnvironment() : process.env,
		// The pipe says nothing: a host ends when it closes, so that none is left behind a launcher that was killed.
		stdio: serve ? ['inherit', 'inherit', 'inherit', 'ipc'] : 'inherit',
		// A host ends its children itself, in order; a terminal's Ctrl-C would reach them all at once.
		detached: serve,
	})
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
		process.on(signal, () => {
			// A closed terminal ends a host in order, too.
			if (serve) child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal)
			// A command in the foreground of a terminal has had its Ctrl-C from there.
			else if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
		})
	}
	child.on('error', (error) => {
		console.error(`berth: ${node} does not start: ${error.message}`)
		process.exit(1)
	})
	child.on('exit', (code, signal) => {
		if (signal === null) process.exit(code ?? 1)
		for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(name)
		process.kill(process.pid, signal)
	})
}

/** What is not a setting of the host is not its business: secrets of the shell that started it stay there. */
async function hostEnvironment() {
	const { isForHost, judgeHint } = await import(pathToFileURL(join(dist, 'settings.mjs')).href)
	const hint = judgeHint(process.env)
	if (hint) console.error(hint)
	const common = ['PATH', 'HOME', 'TZ', 'LANG', 'TMPDIR']
	const settings = Object.entries(process.env).filter(
		([name]) => isForHost(name) || common.includes(name) || name.startsWith('OTEL_'),
	)
	return { ...MALLOC, ...Object.fromEntries(settings) }
}

/** Where this is root and util-linux is there. */
function withFewCapabilities(command) {
	if (process.platform !== 'linux' || process.getuid() !== 0) return command
	const drop = ['--inh-caps=-all', `--bounding-set=-all,${KEPT.map((one) => `+${one}`).join()}`]
	const { spawnSync } = require('node:child_process')
	const works = spawnSync('setpriv', [...drop, 'true'], { stdio: 'ignore' }).status === 0
	return works ? ['setpriv', ...drop, ...command] : command
}

/** Of the package `node`. The client alone comes without it, and runs on the Node of the machine. */
function pinnedNode() {
	try {
		const folder = dirname(require.resolve('node/package.json'))
		const file = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
		if (existsSync(file)) return file
	} catch {
		// Not installed.
	}
	if (Number.parseInt(process.versions.node, 10) < OWN_NODE)
		giveUp(
			`Berth runs on Node ${OWN_NODE} or newer; this is ${process.version}, and the package \`node\` is not installed here. Install Node ${OWN_NODE}, or install Berth with npm's install scripts allowed.`,
		)
	return process.execPath
}

function giveUp(why) {
	console.error(`berth: ${why}`)
	process.exit(1)
}
