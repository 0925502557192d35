import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { largeJudgeHint } from '../cli/local-models.ts'
import { chooseProvider } from './provider.ts'
import { createReport } from './report.ts'
import type { Cleanup } from './stage.ts'
import { tellStory } from './story.ts'

// `npm run demo`: the whole of it once, with the shipped programs. `--once` ends instead of staying up; exit 0 only if
// everything held. Ctrl-C ends every process it started, at any moment.

const once = process.argv.includes('--once')
const report = createReport((text) => void process.stdout.write(text))
const interrupted = new Promise<'interrupted'>((resolve) => {
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
		process.on(signal, () => resolve('interrupted'))
})
const cleanups: Cleanup[] = []
let code = 1
try {
	const outcome = await Promise.race([run(), interrupted])
	if (outcome === 'held') code = 0
	if (outcome === 'interrupted') code = 130
	if (outcome === 'held' && !once) {
		report.text('\nThe host stays up; paste the line above. Ctrl-C ends it and removes everything.')
		await interrupted
	}
} catch (error) {
	process.stderr.write(`demo: ${(error as Error).message}\n`)
} finally {
	process.stdout.write('\nStopping …\n')
	for (const clean of cleanups.reverse()) await clean().catch(() => {})
}
process.exit(code)

async function run(): Promise<'held' | 'failed'> {
	const folder = await mkdtemp(join(tmpdir(), 'berth-demo-'))
	cleanups.push(() => rm(folder, { recursive: true, force: true }))
	const provider = await chooseProvider(process.env)
	if (provider.scripted) cleanups.push(provider.scripted.close)
	report.text(`\n${provider.announcement}`)
	const curl = await tellStory({ report, provider, folder, root: packageRoot(), cleanups })
	const failures = report.failures()
	report.text(
		`\n${report.checks() - failures.length} of ${report.checks()} checks held.${failures.map((what) => `\n  ✗ ${what}`).join('')}`,
	)
	const hint = await largeJudgeHint(process.env)
	if (hint) report.text(`\nThe guard was judged by its own small models. ${hint}`)
	// The one secret shown whole: it is the run key of a deployment that ends with the demo.
	if (!once) process.stdout.write(`\nCall it yourself:\n\n${curl}\n`)
	return failures.length === 0 ? 'held' : 'failed'
}

function packageRoot(): string {
	let folder = import.meta.dirname
	while (!existsSync(join(folder, 'package-lock.json'))) folder = dirname(folder)
	return folder
}
