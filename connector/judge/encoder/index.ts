/** The encoder, loaded with the first text that is read by it: most hosts never ask for it, and it takes 20 MB of memory. */
import { loadWeights, type Weights } from '../learned/arrays.ts'
import { weightsFile } from '../learned/files.ts'
import { type Encode, encoder, type Side } from './encode.ts'

let read: Weights | undefined
let loaded: Encode | undefined

function weights(): Weights {
	read ??= loadWeights(weightsFile('encoder.bin'))
	return read
}

/** English words that are one piece. */
export const wholePieces = (): string[] =>
	[...(weights().meta.pieces as string).matchAll(/^▁([a-z]{2,})$/gmu)].map(([, word]) => word!)

/** Where each text points, of length 1; of longer ones the beginning. */
export function encoded(side: Side, texts: readonly string[], mostPieces: number): Float32Array[] {
	loaded ??= encoder(weights())
	return loaded(side, texts, mostPieces)
}
