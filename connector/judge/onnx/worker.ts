/** The worker thread of the `onnx` judge: holds the operator's models and scores texts one job after another. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { type Classifier, openModel } from './model.ts'

export const MODELS = ['nli', 'injection', 'reranker'] as const
export type ModelName = (typeof MODELS)[number]
export interface Job {
	id: number
	model: ModelName
	pairs: [string, string | null][]
}
export type Reply =
	| { ready: Partial<Record<ModelName, string[]>> }
	| { id: number; scores: number[][] }
	| { id: number; error: string }
	| { failed: string }

const port = parentPort!
const say = (reply: Reply) => port.postMessage(reply)
const models: Partial<Record<ModelName, Classifier>> = {}
const { dir } = workerData as { dir: string }

try {
	for (const name of MODELS)
		if (existsSync(join(dir, name, 'model.onnx'))) models[name] = await openModel(join(dir, name))
	say({ ready: Object.fromEntries(Object.entries(models).map(([name, { labels }]) => [name, labels])) })
} catch (error) {
	say({ failed: (error as Error).message })
}

let line = Promise.resolve()
port.on('message', ({ id, model, pairs }: Job) => {
	line = line.then(async () => {
		try {
			say({ id, scores: await models[model]!.run(pairs) })
		} catch (error) {
			say({ id, error: (error as Error).message })
		}
	})
})
