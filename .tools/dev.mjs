// A host to work on: on a data folder of its own, built again and started again whenever a source is saved. With
// `--inspect` a debugger attaches to it (.vscode/launch.json).
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { watchFolder } from '../host/owner/cli/dev/watch.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const rooms = ['bundles', 'connector', 'host', 'runtime']
const env = { DATA_DIR: join(root, '.berth/dev'), ...process.env }
const inspect = process.argv.includes('--inspect') ? ['--inspect'] : []

let host
let turn = Promise.resolve()
let stopping = false

const unread = (file) => !/\.(ts|tsx|mjs|css|html|svg|sql|bin)$/.test(file)
const watchers = rooms.map((room) => watchFolder(join(root, room), unread, again))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop)
again()

/** One build and start after the other. What does not build changes nothing: the host of before goes on. */
function again() {
	turn = turn.then(async () => {
		if (stopping || (await ended(node([join(root, '.tools/build.mjs')]))) !== 0) return
		await endHost()
		if (stopping) return
		host = node(['--enable-source-maps', ...inspect, join(root, 'dist/host.mjs')])
		host.on('exit', (code) => {
			if (code)
				console.error(`The host ended with exit code ${code}. It is started again when a source is saved.`)
		})
	})
}

async function stop() {
	stopping = true
	for (const close of watchers) close()
	await turn
	await endHost()
	process.exit(0)
}

async function endHost() {
	if (!host || host.exitCode !== null || host.signalCode !== null) return
	const end = ended(host)
	host.kill('SIGTERM')
	await end
}

/** In a group of its own: a terminal's Ctrl-C reaches it through us, once. */
function node(args) {
	return spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit', detached: true })
}

function ended(child) {
	return new Promise((resolve) => child.on('exit', (code) => resolve(code)))
}
