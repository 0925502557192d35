/** The worker thread of the built-in judge: one call in, one answer out. */
import { parentPort } from 'node:worker_threads'
import type { Tool } from './builtin/calls.ts'
import { createEngine } from './builtin/engine.ts'

const engine = createEngine()

parentPort!.on('message', ({ tool, call }: { tool: Tool; call: never }) => {
	try {
		parentPort!.postMessage({ answer: engine[tool](call) })
	} catch (error) {
		parentPort!.postMessage({ error: error instanceof Error ? error.message : String(error) })
	}
})
