// Writes what is derived from sources and kept in the repository: the SQL migration of a changed schema.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const done = spawnSync(process.execPath, ['node_modules/drizzle-kit/bin.cjs', 'generate', ...process.argv.slice(2)], {
	cwd: fileURLToPath(new URL('..', import.meta.url)),
	stdio: 'inherit',
})
process.exit(done.status ?? 1)
