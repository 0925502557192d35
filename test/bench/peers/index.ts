/**
 * Peers for the bench: each has one adapter file here, which names its packages and how one run is made with them. The
 * packages are installed from npm into a folder that is gone afterwards; none is a dependency of Berth.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { program } from '../berth.ts'
import type { Row } from '../use/rows.ts'
import { programSide, type Servers, type Side } from '../use/sides.ts'

export const peers = ['http', 'agentkit', 'workerd', 'mastra', 'langgraph', 'cf-agents', 'restate']

interface Adapter {
	packages: Record<string, string>
	says: string
}

/** Rows that would make other calls for a peer, too. */
const isPlain = ({ kind, deployments }: Row) => (kind === 'noted' || kind === 'slow') && deployments === 1

/** Throws where it cannot be installed or started: the bench then goes on without it. */
export async function peerSide(name: string, servers: Servers, cpus: string | undefined): Promise<Side> {
	const here = fileURLToPath(new URL('.', import.meta.url))
	const { packages, says } = (await import(join(here, `${name}.mjs`))) as Adapter
	const dir = mkdtempSync(join(tmpdir(), `berth-bench-${name}-`))
	// Its process may still be ending.
	const remove = () => rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
	try {
		const manifest = { private: true, type: 'module', dependencies: packages }
		writeFileSync(join(dir, 'package.json'), JSON.stringify(manifest))
		const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
		const installed = spawnSync('npm', ['install', ...options], {
			cwd: dir,
			encoding: 'utf8',
			timeout: 300_000,
		})
		const { status, stderr, error } = installed
		if (status !== 0) throw new Error(`npm install: ${error?.message ?? stderr.trim().split('\n')[0]}`)
		for (const one of readdirSync(here))
			if (one.endsWith('.mjs')) copyFileSync(join(here, one), join(dir, one))
		const { modelUrl, mcpUrl } = servers
		const env = { PEER: join(dir, `${name}.mjs`), MODEL_URL: modelUrl, MCP_URL: mcpUrl }
		const started = program('test/bench/peers/program.ts', [], env, cpus)
		const side = await programSide({ name, says, takes: isPlain }, started)
		return { ...side, close: () => side.close().finally(remove) }
	} catch (error) {
		remove()
		throw error
	}
}
