/**
 * An agent of Cloudflare's Agents on workerd, called over HTTP, its SQLite files on disk. Each caller has an agent of its
 * own, which keeps its MCP connection open.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, post, startServer } from './server.mjs'

export const packages = {
	agents: '0.32.0',
	'@modelcontextprotocol/client': '2.4.0',
	openai: '7.55.0',
	zod: '4.6.7',
	esbuild: '0.28.2',
	workerd: '1.20261117.1',
}
export const says =
	'Agent on workerd, over HTTP, streams from the model, writes the conversation to SQLite with fsync after each step, does not resume after a crash'

const config = (port, env) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
	services = [
		(name = "main", worker = .worker),
		(name = "internet", network = (allow = ["private", "local"])),
		(name = "disk", disk = (path = "data", writable = true)),
	],
	# The library imports it; no message is sent.
	extensions = [(modules = [(name = "cloudflare-internal:email", internal = true, esModule = "export default {}")])],
	sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
	modules = [(name = "worker", esModule = embed "worker.js")],
	compatibilityDate = "2026-11-01",
	durableObjectNamespaces = [(className = "Bench", uniqueKey = "bench", enableSql = true)],
	durableObjectStorage = (localDisk = "disk"),
	bindings = [
		(name = "Bench", durableObjectNamespace = "Bench"),
		${Object.entries(env).map(([name, text]) => `(name = "${name}", text = "${text}")`)},
	],
);
`

export async function open({ modelUrl, mcpUrl }) {
	const cwd = import.meta.dirname
	const port = await freePort()
	const { build } = await import('esbuild')
	await build({
		entryPoints: [join(cwd, 'cf-agents.worker.mjs')],
		outfile: join(cwd, 'worker.js'),
		bundle: true,
		minify: true,
		format: 'esm',
		target: 'es2024',
		conditions: ['workerd', 'worker', 'browser'],
		external: ['cloudflare:*', 'node:*', 'path'],
		// One of its packages still requires `path`.
		banner: { js: "import { createRequire } from 'node:module'; const require = createRequire('/');" },
	})
	mkdirSync(join(cwd, 'data'))
	writeFileSync(join(cwd, 'config.capnp'), config(port, { MODEL_URL: modelUrl, MCP_URL: mcpUrl }))
	const { default: workerd } = await import('workerd')
	const url = `http://127.0.0.1:${port}/agents/bench/`
	const pid = await startServer(workerd.default, ['serve', '--experimental', 'config.capnp'], { cwd }, () =>
		post(`${url}first`, { model: 'm0', question: 'ready?' }),
	)
	return { url: `${url}{caller}`, pid }
}
