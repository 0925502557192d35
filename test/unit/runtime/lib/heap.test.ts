import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { HEAP } from '../../../../runtime/supervisor/spawn.ts'

const module = new URL('../../../../runtime/lib/heap.ts', import.meta.url).href

/** By this number V8 knows whether code was compiled for the options it has now: before and after the call. */
async function tags(options: string[]): Promise<number[]> {
	const program = `
		import { cachedDataVersionTag } from 'node:v8'
		import { growSlowly } from ${JSON.stringify(module)}
		const before = cachedDataVersionTag()
		growSlowly()
		console.log(JSON.stringify([before, cachedDataVersionTag()]))`
	const args = [...options, '--no-warnings', '--input-type=module', '--eval', program]
	return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout)
}

test('the runtime starts with what Node brings compiled, and bounds its heap after that', async () => {
	const [plain, ours] = await Promise.all([tags([]), tags(HEAP)])
	expect(ours[0]).toBe(plain[0])
	expect(ours[1]).not.toBe(ours[0])
})

test('the launcher starts a host with the options that the host starts its runtime with', async () => {
	const launcher = await readFile(
		new URL('../../../../host/owner/cli/bin/berth.mjs', import.meta.url),
		'utf8',
	)
	const [, options = ''] = /const HEAP = \[([^\]]*)\]/.exec(launcher) ?? []
	expect(options.match(/--[a-z0-9=-]+/g)).toEqual(HEAP)
})
