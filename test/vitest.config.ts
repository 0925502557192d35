import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { mendInTests } from '../.tools/mend.mjs'
import { LongFirst } from './kit/long-first.ts'

const quick = ['test/unit/**/*.test.ts', 'test/architecture/**/*.test.ts']
const drills = ['test/drills/*.test.ts']
const globalSetup = ['test/kit/global-setup.ts']
const shuffled = process.argv.some((arg) => arg.startsWith('--sequence.shuffle'))

// Time-outs tell a test that hangs from one on a busy machine; no test asserts them.
export default defineConfig({
	root: fileURLToPath(new URL('..', import.meta.url)),
	plugins: [mendInTests],
	test: {
		// The database driver, as it is mended for dist/.
		server: { deps: { inline: ['postgres'] } },
		pool: 'forks',
		// Files share a process, because loading modules anew for each costs more than most of them. A hook at the top of a module that
		// files share would be registered for the first of them alone (test/architecture/repository.test.ts).
		isolate: false,
		// Three times the cores of a small machine: tests of processes wait most of their time.
		maxWorkers: 6,
		testTimeout: 300_000,
		hookTimeout: 300_000,
		teardownTimeout: 300_000,
		unstubEnvs: true,
		expect: { poll: { timeout: 60_000, interval: 30 } },
		...(!shuffled && { sequence: { sequencer: LongFirst } }),
		reporters: ['default', './test/kit/closing-line.ts'],
		projects: [
			{
				extends: true,
				test: { name: 'system', include: ['test/**/*.test.ts'], exclude: [...quick, ...drills], globalSetup },
			},
			{ extends: true, test: { name: 'drills', include: drills, globalSetup } },
			{ extends: true, test: { name: 'unit', include: quick } },
		],
	},
})
