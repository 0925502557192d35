// Writes what is derived from sources and kept in the repository: the published JSON Schema of agent.yaml, the generated
// parts of the pages, and the SQL migration of a changed schema.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { agentJsonSchema } from '../bundles/agent.ts'
import { pages, readPage, withParts } from './pages.ts'

writeFileSync(
	new URL('../bundles/agent.schema.json', import.meta.url),
	`${JSON.stringify(agentJsonSchema(), null, '\t')}\n`,
)
for (const page of pages) {
	const text = readPage(page)
	const made = withParts(text)
	if (made !== text) writeFileSync(new URL(`../${page}`, import.meta.url), made)
}

const done = spawnSync(
	process.execPath,
	['node_modules/drizzle-kit/bin.cjs', 'generate', ...process.argv.slice(2)],
	{
		cwd: fileURLToPath(new URL('..', import.meta.url)),
		stdio: 'inherit',
	},
)
process.exit(done.status ?? 1)
