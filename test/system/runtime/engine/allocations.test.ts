/** What a run allocates in the runtime, counted instead of timed: the engine between fakes, and a model over HTTP. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { startModelServer } from '../../../kit/model-server.ts'

const RUNS = 100
/** Of 214 KB (2026-11-23), less where nothing was counted. */
const LEAST = 50_000
const MOST = 300_000
const at = (path: string) => JSON.stringify(new URL(`../../../../${path}`, import.meta.url).href)

/**
 * Bytes of V8's heap that a run takes in a process whose young part is never full, so that nothing is collected before it
 * is counted. Code is not optimised: how much of it is would be a matter of time.
 */
async function allocatedByRun(modelUrl: string, extra: string): Promise<number> {
	const program = `
		import { world, withTools } from ${at('test/kit/engine/fakes.ts')}
		import { createEgress } from ${at('runtime/egress/index.ts')}
		import { callModel } from ${at('runtime/process/providers/index.ts')}
		const egress = createEgress({ allow: [${JSON.stringify(new URL(modelUrl).host)}] })
		const yaml = withTools('tool').replace('http://127.0.0.1:1/v1', ${JSON.stringify(modelUrl)})
		const messages = [{ role: 'user', content: 'Question' }]
		const { begin } = world({
			yaml,
			tools: [{ name: 'tool' }],
			model: (request, context) => callModel(request, { ...context, egress }),
			async program(guest) {
				await guest.effect('model', { messages })
				await guest.effect('tool.call', { id: 'c', name: 'tool', input: { q: 'x' } })
				const { message } = await guest.effect('model', { messages })
				${extra}
				return message.content
			},
		})
		let n = 0
		const some = async (count) => {
			for (const end = n + count; n < end; n++) {
				const { outcome } = await begin({ run: 'run_' + n })
				if (outcome.status !== 'succeeded') throw new Error(JSON.stringify(outcome))
			}
		}
		await some(20)
		gc()
		const { heapUsed } = process.memoryUsage()
		await some(${RUNS})
		console.log((process.memoryUsage().heapUsed - heapUsed) / ${RUNS})
		await egress.close()
		process.exit()`
	const flags = [
		'--expose-gc',
		'--no-opt',
		'--no-maglev',
		'--min-semi-space-size=128',
		'--max-semi-space-size=128',
	]
	const { stdout } = await promisify(execFile)(process.execPath, [
		...[...flags, '--no-warnings', '--input-type=module', '--eval', program],
	])
	return Number(stdout)
}

// Proves: run.allocations
test('two model calls and a tool call allocate no more than they did', async () => {
	const models = await startModelServer({ m: { text: 'It said hello.' } })
	onTestFinished(() => models.close())
	const [asItIs, more] = await Promise.all([
		allocatedByRun(models.openaiUrl, ''),
		allocatedByRun(models.openaiUrl, 'JSON.parse(JSON.stringify(Array(3000).fill({})))'),
	])
	expect(asItIs).toBeGreaterThan(LEAST)
	expect(asItIs).toBeLessThan(MOST)
	expect(more).toBeGreaterThan(MOST)
})
