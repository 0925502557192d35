import { expect, test } from 'vitest'
import type { Script } from '../../../kit/model-server.ts'
import { start } from './processes.ts'

// Runs of an agent without code share a context; one of them breaks it.

// Proves: sandbox.shared-limits
test('neighbours of a run that takes all memory go on where they were, and no call is made again', async () => {
	const broken = Promise.withResolvers<void>()
	const m: Script = async ({ turn }) => {
		if (turn === 0) return { calls: [{ id: 'c', name: 'nothing', input: {} }] }
		await broken.promise
		return { text: 'went on' }
	}
	const { begin, models, host } = await start({
		yaml: 'limits: { memory_mb: 16 }\ninputs: { type: object, properties: { x: { type: string } } }\n',
		files: { 'prompt.md': '{{x}}'.repeat(12_800) },
		scripts: { m },
		// They wait until the other run has its own process, and has filled it.
		providerTimeoutMs: 60_000,
	})
	const neighbours = ['run_1', 'run_2', 'run_3'].map((run) => begin({ run, inputs: '{"x":"."}' }))
	await expect.poll(() => models.requests.length).toBe(6)
	// A hundred megabytes, from eight thousand characters.
	const { outcome } = await begin({ run: 'run_9', inputs: JSON.stringify({ x: 'x'.repeat(8_000) }) })
	expect(outcome).toMatchObject({ status: 'failed', error: { code: 'memory_limit_reached' } })
	broken.resolve()
	for (const ended of await Promise.all(neighbours)) {
		expect(ended.outcome).toEqual({ status: 'succeeded', output: '"went on"' })
		expect(ended.usage.model_calls).toBe(2)
	}
	expect(models.requests.length).toBe(6)
	expect(host.journal.filter(({ type }) => type === 'run.started').length).toBe(4)
})
