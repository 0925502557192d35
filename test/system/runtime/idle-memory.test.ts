import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const module = new URL('../../../runtime/lib/idle-memory.ts', import.meta.url).href

/** A process of its own makes much garbage, has nothing to do, and says in MiB what V8 holds before and after. */
async function garbageOf(
	lookMs: number,
	looks: number,
): Promise<{ before: number; after: number; errors: number }> {
	const program = `
		import { setTimeout as sleep } from 'node:timers/promises'
		import { giveBackWhenIdle } from ${JSON.stringify(module)}
		const taken = () => Math.round(process.memoryUsage().heapTotal / 1048576)
		let errors = 0
		const { stop } = giveBackWhenIdle({ lookMs: ${lookMs}, onError: () => errors++ })
		let list = []
		for (let n = 0; n < 1_000_000; n++) list.push({ n, text: 'text ' + n })
		list = null
		const before = taken()
		for (let n = 0; n < ${looks} && taken() > before / 2; n++) await sleep(100)
		stop()
		console.log(JSON.stringify({ before, after: taken(), errors }))`
	const { stdout } = await promisify(execFile)(process.execPath, [
		'--no-warnings',
		'--input-type=module',
		'--eval',
		program,
	])
	return JSON.parse(stdout)
}

test('a process that has nothing to do gives its garbage back, which it keeps otherwise', async () => {
	const [given, kept] = await Promise.all([garbageOf(200, 100), garbageOf(3_600_000, 10)])
	expect(kept.before).toBeGreaterThan(50)
	expect(kept.after).toBeGreaterThan(kept.before / 2)
	expect(given.before).toBeGreaterThan(50)
	expect(given.after).toBeLessThan(given.before / 2)
	expect(given.errors).toBe(0)
})
