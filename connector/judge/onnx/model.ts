/** One folder of the operator's: tokenizer.json, model.onnx and, where labels have names, config.json. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { InferenceSession, Tensor } from 'onnxruntime-web'
import type { ModelConfig } from './families.ts'
import { type Encoded, readTokenizer } from './tokenizer.ts'

export interface Classifier {
	config: ModelConfig
	/** How many the model gives. */
	outputs: number
	/** Raw scores of each text or pair, in order. */
	run(pairs: readonly (readonly [string, string | null])[]): Promise<number[][]>
	close(): Promise<void>
}

const BATCH = 16
const LONGEST_TOKENS = 512

export async function openModel(dir: string): Promise<Classifier> {
	const ort = await import('onnxruntime-web').catch((cause: unknown) => {
		throw new Error('The judge `onnx` needs the package onnxruntime-web: npm i onnxruntime-web', { cause })
	})
	ort.env.wasm.numThreads = 1
	const tokenizer = readTokenizer(JSON.parse(readFileSync(join(dir, 'tokenizer.json'), 'utf8')))
	const config: ModelConfig = existsSync(join(dir, 'config.json'))
		? JSON.parse(readFileSync(join(dir, 'config.json'), 'utf8'))
		: {}
	const session = await ort.InferenceSession.create(readFileSync(join(dir, 'model.onnx')), {
		executionProviders: ['wasm'],
	})
	const limit = Math.min(LONGEST_TOKENS, config.max_position_embeddings ?? LONGEST_TOKENS)
	const classifier: Omit<Classifier, 'outputs'> = {
		config,
		async run(pairs) {
			// Texts of like length share a batch: padding is computed like any token.
			const encoded = pairs.map(([first, second], place) => ({
				place,
				...tokenizer.encode(first, second, limit),
			}))
			encoded.sort((a, b) => a.ids.length - b.ids.length)
			const out = new Array<number[]>(pairs.length)
			for (let at = 0; at < encoded.length; at += BATCH) {
				const batch = encoded.slice(at, at + BATCH)
				const scores = await runBatch(session, ort.Tensor, batch, tokenizer.pad)
				batch.forEach(({ place }, i) => {
					out[place] = scores[i]!
				})
			}
			return out
		},
		close: () => session.release(),
	}
	// One text shows how many outputs there are, and that the model runs at all.
	const [shown = []] = await classifier.run([['a', null]])
	return { ...classifier, outputs: shown.length }
}

async function runBatch(
	session: InferenceSession,
	TensorOf: typeof Tensor,
	batch: readonly Encoded[],
	pad: number,
): Promise<number[][]> {
	const width = batch.reduce((most, { ids }) => Math.max(most, ids.length), 1)
	const shape = [batch.length, width]
	const grid = (value: (row: Encoded, i: number) => number) => {
		const data = new BigInt64Array(batch.length * width)
		batch.forEach((row, r) => {
			for (let i = 0; i < width; i++) data[r * width + i] = BigInt(value(row, i))
		})
		return new TensorOf('int64', data, shape)
	}
	const inputs: Record<string, Tensor> = {
		input_ids: grid(({ ids }, i) => ids[i] ?? pad),
		attention_mask: grid(({ ids }, i) => (i < ids.length ? 1 : 0)),
		token_type_ids: grid(({ types }, i) => types[i] ?? 0),
	}
	const wanted = Object.fromEntries(session.inputNames.map((name) => [name, inputs[name]!]))
	const result = (await session.run(wanted))[
		session.outputNames.includes('logits') ? 'logits' : session.outputNames[0]!
	]!
	const columns = result.dims.at(-1)!
	const data = result.data as Float32Array
	return batch.map((_, r) => Array.from(data.subarray(r * columns, (r + 1) * columns)))
}
