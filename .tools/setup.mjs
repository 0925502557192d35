// What every README command needs before it starts, on whatever Node the system has (20 or newer): the packages of
// package-lock.json (which bring the pinned Node 24) and a build that is newer than its sources.
// Runs as a `pre…` script, so that the command after it already finds the pinned Node in node_modules/.bin.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const stamp = join(root, 'node_modules', '.berth-lock')
const node = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')

const [major] = process.versions.node.split('.').map(Number)
if (major < 20) {
	console.error(`Berth needs Node 20 or newer to set itself up; this is ${process.version}.`)
	process.exit(1)
}

const wanted = createHash('sha256')
	.update(readFileSync(join(root, 'package-lock.json')))
	.digest('hex')
const installed = existsSync(stamp) && existsSync(node) ? readFileSync(stamp, 'utf8') : ''
if (installed !== wanted) {
	console.error('Installing packages (once; about a minute) …')
	run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'])
	writeFileSync(stamp, wanted)
}
run(node, [join(root, '.tools', 'build.mjs')])

function run(command, args) {
	const env = { ...process.env }
	// The npm that runs us hands its own Node and settings down; the child is to find its own.
	for (const name of Object.keys(env)) if (name.startsWith('npm_')) delete env[name]
	const done = spawnSync(command, args, {
		cwd: root,
		env,
		stdio: ['ignore', 2, 2],
		shell: process.platform === 'win32',
	})
	if (done.status !== 0) {
		console.error(`\`${command} ${args.join(' ')}\` failed${done.error ? `: ${done.error.message}` : ''}.`)
		process.exit(done.status || 1)
	}
}
