import type { FastifyBaseLogger } from 'fastify'
import { expect, test } from 'vitest'
import { boundedExporter } from '../../../../host/traces/bounded.ts'

// Proves: observe.traces-bounded
test('spans beyond the bound are dropped and counted, and so are those that the collector did not take', () => {
	const lines: unknown[] = []
	const log = { warn: (line: unknown) => lines.push(line), info: () => lines.push('again') }
	const under: ((result: { code: number; error?: Error }) => void)[] = []
	const inner = { export: (_: unknown, done: never) => void under.push(done), shutdown: async () => {} }
	const { exporter, admit, counts, max } = boundedExporter(inner, log as unknown as FastifyBaseLogger)
	const admitted = () => Array.from({ length: max + 3 }, admit).filter(Boolean).length
	const settle = (result: { code: number; error?: Error }) => {
		exporter.export(Array(max) as never, () => {})
		under.pop()?.(result)
	}
	expect(admitted()).toBe(max)
	expect(counts()).toEqual({ exported: 0, dropped: 3 })
	settle({ code: 1, error: new Error('https://collector.example answered SECRET') })
	expect(counts()).toEqual({ exported: 0, dropped: 3 + max })
	expect(admitted()).toBe(max)
	settle({ code: 0 })
	expect(counts()).toEqual({ exported: max, dropped: 6 + max })
	expect(lines).toEqual([{ error: 'Error' }, 'again'])
})
