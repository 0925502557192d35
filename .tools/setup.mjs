// What every README command needs before it starts, on whatever Node the system has (20 or newer): the packages of
// package-lock.json (which bring the pinned Node 24) and a build that is newer than its sources.
// Runs as a `pre…` script, so that the command after it already finds the pinned Node in node_modules/.bin.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { progress } from './progress.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const stamp = join(root, 'node_modules', '.berth-lock')
const node = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
const countMs = 500

const [major] = process.versions.node.split('.').map(Number)
if (major < 20) {
	console.error(`Berth needs Node 20 or newer to set itself up; this is ${process.version}.`)
	process.exit(1)
}

const lockfile = readFileSync(join(root, 'package-lock.json'))
const wanted = createHash('sha256').update(lockfile).digest('hex')
const installed = existsSync(stamp) && existsSync(node) ? readFileSync(stamp, 'utf8') : ''
if (installed !== wanted) {
	await install()
	writeFileSync(stamp, wanted)
}
await run(node, [join(root, '.tools', 'build.mjs')])

async function install() {
	const packages = Object.entries(JSON.parse(lockfile).packages)
		.filter(([path, { os, cpu }]) => path && fits(os, process.platform) && fits(cpu, process.arch))
		.map(([path]) => join(root, path, 'package.json'))
	const shown = progress('Setting up, once: packages', packages.length)
	const timer = setInterval(() => shown.at(packages.filter((file) => existsSync(file)).length), countMs)
	await run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'])
	clearInterval(timer)
	shown.at(packages.filter((file) => existsSync(file)).length)
	shown.end()
}

function fits(named, here) {
	return !named || named.includes(here)
}

/** Ends this process where it fails. A signal ends it, and then us. */
async function run(command, args) {
	const env = { ...process.env }
	// The npm that runs us hands its own Node and settings down; the child is to find its own.
	for (const name of Object.keys(env)) if (name.startsWith('npm_')) delete env[name]
	const shell = process.platform === 'win32'
	let child
	const pass = (signal) => void child.kill(signal)
	// Before it starts: what it has done shows that it may be ended.
	for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, pass)
	child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 2, 2], shell })
	const failed = await new Promise((resolve) => {
		child.on('error', (error) => resolve(`: ${error.message}`))
		child.on('exit', (code, signal) => resolve(code === 0 ? null : signal ? ` (${signal})` : ''))
	})
	for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, pass)
	if (failed === null) return
	console.error(`\`${command} ${args.join(' ')}\` failed${failed}.`)
	process.exit(child.exitCode || 1)
}
