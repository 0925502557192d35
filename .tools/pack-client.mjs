// Packs the owner's client alone: the command line with what it loads, the template of a new agent, and esbuild, which
// compiles an agent's programs. It has no host, no Postgres, no isolated-vm and no judge, and runs on the Node that is there.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const programs = ['cli.mjs', 'schema-worker.mjs']
const beside = [
	'host/owner/cli/bin/berth.mjs',
	'bundles/template',
	'bundles/types',
	'bundles/agent.schema.json',
]
/** As esbuild writes it, in both forms. */
const imported = /\b(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+\.mjs)"/g

const whole = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const { name, version, description, type, bin, dependencies } = whole
const staged = mkdtempSync(join(tmpdir(), 'berth-client-'))
try {
	for (const path of [...reached(), ...beside])
		cpSync(join(root, path), join(staged, path), { recursive: true })
	const manifest = {
		name: `${name}-client`,
		version,
		private: true,
		description: `${description}: the owner's command line`,
		type,
		engines: { node: '>=24' },
		bin,
		files: ['dist', 'host', 'bundles'],
		dependencies: { esbuild: dependencies.esbuild },
	}
	writeFileSync(join(staged, 'package.json'), JSON.stringify(manifest, null, '\t'))
	const packed = spawnSync(
		'npm',
		['pack', '--json', '--ignore-scripts', '--pack-destination', process.cwd()],
		{
			cwd: staged,
			encoding: 'utf8',
			stdio: ['ignore', 'pipe', 'inherit'],
		},
	)
	if (packed.status !== 0) process.exit(1)
	const [made] = JSON.parse(packed.stdout)
	console.log(JSON.stringify({ filename: made.filename, size: made.size, unpacked: made.unpackedSize }))
} finally {
	rmSync(staged, { recursive: true, force: true })
}

/** The programs' files, with every file that they import. */
function reached() {
	const found = new Set(programs.map((name) => `dist/${name}`))
	for (const file of found) {
		for (const [, to] of readFileSync(join(root, file), 'utf8').matchAll(imported))
			found.add(join(dirname(file), to))
	}
	return found
}
