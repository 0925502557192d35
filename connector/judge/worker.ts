/** The worker thread of the built-in judge: one call in, one answer out, and before the first that it is ready. */
import { parentPort, workerData } from 'node:worker_threads'
import type { Tool } from './builtin/calls.ts'
import { createEngine } from './builtin/engine.ts'
import { loadModels } from './builtin/models.ts'

const { weights } = workerData as { weights: string }
const engine = createEngine(loadModels(weights.startsWith('file:') ? new URL(weights) : weights))

parentPort!.on('message', ({ tool, call }: { tool: Tool; call: never }) => {
	try {
		parentPort!.postMessage({ answer: engine[tool](call) })
	} catch (error) {
		parentPort!.postMessage({ error: error instanceof Error ? error.message : String(error) })
	}
})
parentPort!.postMessage('ready')
