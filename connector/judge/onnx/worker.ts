/** The worker thread of the `onnx` judge: holds the operator's models and scores texts one job after another. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { type Heads, headsOf, type ModelName } from './families.ts'
import { type Classifier, openModel } from './model.ts'

const MODELS = ['nli', 'injection', 'reranker'] as const
export interface Job {
	id: number
	model: ModelName
	pairs: [string, string | null][]
}
export type Reply =
	| { ready: Partial<Heads> }
	| { id: number; scores: number[][] }
	| { id: number; error: string }
	| { failed: string }

const port = parentPort!
const say = (reply: Reply) => port.postMessage(reply)
const models: Partial<Record<ModelName, Classifier>> = {}
const { dir } = workerData as { dir: string }

try {
	const ready: Partial<Heads> = {}
	for (const name of MODELS)
		if (existsSync(join(dir, name, 'model.onnx'))) Object.assign(ready, await open(name))
	say({ ready })
} catch (error) {
	say({ failed: (error as Error).message })
}

async function open(name: ModelName): Promise<Partial<Heads>> {
	const model = await openModel(join(dir, name))
	models[name] = model
	return { [name]: headsOf(name, model.config, model.outputs) }
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
