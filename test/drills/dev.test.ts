// `npm run dev`: built and started again on save; what does not build leaves the host of before as it is.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	renameSync,
	rmSync,
	writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { cloneTemplate, descendants, dropDatabase } from '../kit/host.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const sources = ['.tools', 'bundles', 'connector', 'host', 'runtime', 'package.json', 'package-lock.json']
/** Programs that no host needs, and that take half of a build. */
const others = [
	'host/owner/cli/main.ts',
	'host/owner/demo/main.ts',
	'host/guard/judge-check.ts',
	'runtime/process/keys/passphrase.ts',
	'connector/judge/onnx/worker.ts',
]

/** A whole build and a start, with all other tests beside them. */
const BUILT_MS = 180_000

test(
	'a saved source is built and the host started again, and a source that does not build changes nothing',
	async () => {
		// Below the root, so that its packages are found where they lie; a program below node_modules could not be TypeScript.
		mkdirSync(join(root, '.berth'), { recursive: true })
		const folder = mkdtempSync(join(root, '.berth/dev-test-'))
		for (const name of sources) cpSync(join(root, name), join(folder, name), { recursive: true })
		for (const name of others) rmSync(join(folder, name))
		const database = await cloneTemplate()
		const env = { PATH: process.env.PATH, PORT: '0', WARM_SPARES: '0', DATABASE_URL: database }
		const child = spawn(process.execPath, ['.tools/dev.mjs'], { cwd: folder, env })
		const exited = once(child, 'exit')
		let said = ''
		for (const stream of [child.stdout, child.stderr])
			stream.setEncoding('utf8').on('data', (text: string) => (said += text))
		const seen = (text: string, times: number) =>
			expect.poll(() => said.split(text).length - 1, { message: text, timeout: BUILT_MS }).toBe(times)
		const file = join(folder, 'host/start/main.ts')
		const source = readFileSync(file, 'utf8')
		/** As editors do: a new file takes the place of the old one. */
		const save = (text: string) => {
			writeFileSync(`${file}~`, text)
			renameSync(`${file}~`, file)
		}
		try {
			await seen('Berth is ready', 1)
			expect(said).toContain(join(folder, '.berth/dev'))
			save(`${source}\nconst const\n`)
			await seen('Expected identifier but found "const"', 1)
			expect(said).not.toContain('Berth has stopped')
			save(source)
			await seen('Berth is ready', 2)
			expect(said).toContain('Berth has stopped')
			const below = descendants(child.pid as number)
			const hosts = below.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('host.mjs'))
			expect(hosts.length).toBe(1)
			child.kill('SIGINT')
			expect(await exited).toEqual([0, null])
			await seen('Berth has stopped', 2)
			expect(below.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([])
		} finally {
			child.kill('SIGTERM')
			await exited
			await dropDatabase(database)
			rmSync(folder, { recursive: true, force: true })
		}
	},
	2 * BUILT_MS,
)
