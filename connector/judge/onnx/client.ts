/** The `onnx` judge's end of its worker: jobs in order, each with a bound, a bounded number waiting. */
import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { JudgeError } from '../types.ts'
import type { Heads, ModelName } from './families.ts'
import type { Job, Reply } from './worker.ts'

export type RunModel = (
	model: ModelName,
	pairs: readonly (readonly [string, string | null])[],
	signal: AbortSignal,
) => Promise<number[][]>

export interface OnnxModels {
	/** What the outputs mean of each model that the folder has. */
	heads: Partial<Heads>
	run: RunModel
	close(): Promise<void>
}

const START_TIMEOUT_MS = 120_000
const JOB_TIMEOUT_MS = 60_000
const WAITING = 64

interface Settings {
	dir: string
	waiting?: number
	timeoutMs?: number
}

interface State {
	settings: Settings
	worker: Worker
	open: Map<number, { resolve(scores: number[][]): void; reject(error: Error): void }>
	ended: Error | null
	next: number
}

export async function openModels(settings: Settings): Promise<OnnxModels> {
	const worker = new Worker(workerFile(), { workerData: { dir: settings.dir } })
	const state: State = { settings, worker, open: new Map(), ended: null, next: 0 }
	const heads = await started(state).catch(async (error) => {
		await worker.terminate()
		throw error
	})
	worker.unref()
	return {
		heads,
		run: (model, pairs, signal) => run(state, model, pairs, signal),
		async close() {
			end(state, new JudgeError('unavailable', 'The judge is closed.'))
			await worker.terminate()
		},
	}
}

function end(state: State, error: Error): void {
	state.ended = error
	for (const { reject } of state.open.values()) reject(error)
	state.open.clear()
}

/** Resolves when the models are loaded; from then on the same listeners serve the answers. */
function started(state: State): Promise<OnnxModels['heads']> {
	const { worker, settings, open } = state
	return new Promise((resolve, reject) => {
		const fail = (message: string, cause?: unknown) => {
			clearTimeout(timer)
			const error = new JudgeError('unavailable', `The judge \`onnx\` (${settings.dir}): ${message}`, {
				cause,
			})
			end(state, error)
			reject(error)
		}
		const timer = setTimeout(() => fail('its models took too long to load.'), START_TIMEOUT_MS)
		worker.on('error', (error) => fail(error.message, error))
		worker.on('exit', () => fail('its worker ended.'))
		worker.on('message', (reply: Reply) => {
			if ('failed' in reply) fail(reply.failed)
			else if ('error' in reply) open.get(reply.id)?.reject(new JudgeError('unavailable', reply.error))
			else if ('scores' in reply) open.get(reply.id)?.resolve(reply.scores)
			else if (!Object.keys(reply.ready).length)
				fail('none of nli, injection, reranker (with model.onnx) is there.')
			else {
				clearTimeout(timer)
				resolve(reply.ready)
			}
		})
	})
}

function run(
	state: State,
	model: ModelName,
	pairs: Parameters<RunModel>[1],
	signal: AbortSignal,
): Promise<number[][]> {
	const { open, worker, settings } = state
	if (state.ended) return Promise.reject(state.ended)
	if (open.size >= (settings.waiting ?? WAITING)) {
		return Promise.reject(new JudgeError('capacity', 'The judge has as many calls waiting as it may.'))
	}
	const id = state.next++
	return new Promise((resolve, reject) => {
		const done = (then: () => void) => {
			clearTimeout(timer)
			signal.removeEventListener('abort', stop)
			open.delete(id)
			if (!open.size) worker.unref()
			then()
		}
		const stop = () => done(() => reject(signal.reason))
		const late = () => done(() => reject(new JudgeError('unavailable', 'The judge took too long.')))
		const timer = setTimeout(late, settings.timeoutMs ?? JOB_TIMEOUT_MS)
		signal.addEventListener('abort', stop, { once: true })
		open.set(id, {
			resolve: (scores) => done(() => resolve(scores)),
			reject: (error) => done(() => reject(error)),
		})
		worker.ref()
		worker.postMessage({ id, model, pairs: pairs.map(([a, b]) => [a, b]) } satisfies Job)
	})
}

function workerFile(): URL {
	const names = ['./worker.ts', './judge-onnx-worker.mjs', '../judge-onnx-worker.mjs']
	const found = names.map((name) => new URL(name, import.meta.url)).find((url) => existsSync(url))
	if (!found) throw new Error('The judge’s worker file is missing; run the build again.')
	return found
}
