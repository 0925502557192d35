/**
 * Writes a tiny ONNX model by hand: logits = sum over tokens of a row of weights per token id. Enough to prove that
 * tokens, masks, types, batches and labels arrive where they should. Protocol Buffers, as onnx.proto has the fields.
 */
type Field = [number, Uint8Array | string | bigint]

function varint(value: bigint): Uint8Array {
	const out: number[] = []
	let rest = BigInt.asUintN(64, value)
	do {
		const low = Number(rest & 127n)
		rest >>= 7n
		out.push(rest ? low | 128 : low)
	} while (rest)
	return Uint8Array.from(out)
}

function message(...fields: Field[]): Uint8Array {
	return Buffer.concat(
		fields.map(([number, value]) => {
			if (typeof value === 'bigint') return Buffer.concat([varint(BigInt(number << 3)), varint(value)])
			const bytes = typeof value === 'string' ? Buffer.from(value) : value
			return Buffer.concat([varint(BigInt((number << 3) | 2)), varint(BigInt(bytes.length)), bytes])
		}),
	)
}

const FLOAT = 1n
const INT64 = 7n
const OPSET = 13n

const shaped = (name: string, type: bigint, ...dims: string[]) =>
	message(
		[1, name],
		[2, message([1, message([1, type], [2, message(...dims.map((dim): Field => [1, message([2, dim])]))])])],
	)
const intAttribute = (name: string, value: bigint) => message([1, name], [3, value], [20, 2n])
const node = (op: string, inputs: string[], output: string, ...attributes: Uint8Array[]) =>
	message(
		...inputs.map((input): Field => [1, input]),
		[2, output],
		[4, op],
		...attributes.map((one): Field => [5, one]),
	)

/** `weights[id]` is the row that token `id` adds to the logits. */
export function tinyModel(weights: number[][]): Uint8Array {
	const raw = (list: Float32Array | BigInt64Array) => new Uint8Array(list.buffer)
	const table = message(
		[1, BigInt(weights.length)],
		[1, BigInt(weights[0]!.length)],
		[2, FLOAT],
		[8, 'table'],
		[9, raw(Float32Array.from(weights.flat()))],
	)
	const axes = message([1, 1n], [2, INT64], [8, 'axes'], [9, raw(BigInt64Array.of(1n))])
	const last = message([1, 1n], [2, INT64], [8, 'last'], [9, raw(BigInt64Array.of(2n))])
	const graph = message(
		[1, node('Gather', ['table', 'input_ids'], 'rows')],
		[1, node('Cast', ['attention_mask'], 'mask', intAttribute('to', FLOAT))],
		[1, node('Unsqueeze', ['mask', 'last'], 'wide')],
		[1, node('Mul', ['rows', 'wide'], 'kept')],
		[1, node('ReduceSum', ['kept', 'axes'], 'logits', intAttribute('keepdims', 0n))],
		[2, 'tiny'],
		[5, table],
		[5, axes],
		[5, last],
		[11, shaped('input_ids', INT64, 'batch', 'tokens')],
		[11, shaped('attention_mask', INT64, 'batch', 'tokens')],
		[12, shaped('logits', FLOAT, 'batch', 'labels')],
	)
	return message([1, 8n], [7, graph], [8, message([1, ''], [2, OPSET])])
}
