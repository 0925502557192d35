/** The encoder, loaded with the first text that is read by it: most hosts never ask for it, and it takes 20 MB of memory. */
import { loadWeights } from '../learned/arrays.ts'
import { weightsFile } from '../learned/files.ts'
import { type Encode, encoder, type Side } from './encode.ts'

let loaded: Encode | undefined

/** Where each text points, of length 1; of longer ones the beginning. */
/** English words that are one piece. */
export function wholePieces(): string[] {
	const { pieces } = loadWeights(weightsFile('encoder.bin')).meta as { pieces: string }
	return [...pieces.matchAll(/^▁([a-z]{2,})$/gmu)].map(([, word]) => word!)
}

export function encoded(side: Side, texts: readonly string[], mostPieces: number): Float32Array[] {
	loaded ??= encoder(loadWeights(weightsFile('encoder.bin')))
	return loaded(side, texts, mostPieces)
}
