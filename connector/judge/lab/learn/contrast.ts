/**
 * Word vectors that are taught by pairs of texts that mean the same: the vector of a text is the sum of those of its words,
 * and it shall point nearer to its pair's than to those of the other pairs of a batch and of its own decoys. Every word
 * learns where it points and how loud it is. One seed, one order: the same pairs give the same vectors.
 */
export type Words = Int32Array

export interface Pair {
	asked: Words
	meant: Words
	/** Texts that do not answer, though they may share words. */
	decoys: Words[]
	weight: number
}

export interface Taught {
	dimensions: number
	/** A row for each word. */
	vectors: Float32Array
	/** Logarithm of how much a word counts. */
	loudness: Float32Array
}

export interface ContrastSettings {
	rate: number
	/** Sharpness of the comparison. */
	scale: number
	/** Pull towards the vectors that it began with. */
	decay: number
}

const BATCH = 64
const IDLE = 1e-5

interface Sum {
	unit: Float64Array
	length: number
}

export function sumOf({ vectors, loudness, dimensions }: Taught, words: Words): Sum {
	const unit = new Float64Array(dimensions)
	for (const word of words) {
		const loud = Math.exp(loudness[word]!)
		for (let k = 0; k < dimensions; k++) unit[k]! += loud * vectors[word * dimensions + k]!
	}
	const length = Math.sqrt(product(unit, unit)) || 1
	for (let k = 0; k < dimensions; k++) unit[k]! /= length
	return { unit, length }
}

export function product(a: Float64Array, b: Float64Array): number {
	let sum = 0
	for (let k = 0; k < a.length; k++) sum += a[k]! * b[k]!
	return sum
}

/** Teaches one epoch of pairs after another; each call goes on from the last. */
export function contrast(taught: Taught, settings: ContrastSettings): (pairs: readonly Pair[]) => void {
	const { dimensions, vectors, loudness } = taught
	const first = { vectors: vectors.slice(), loudness: loudness.slice() }
	const squares = new Float32Array(loudness.length).fill(1e-6)
	const loudSquares = new Float32Array(loudness.length).fill(1e-6)

	function learn(slopes: Slopes): void {
		for (const [word, slope] of slopes.vectors) {
			const from = word * dimensions
			let square = 0
			for (let k = 0; k < dimensions; k++) {
				slope[k]! += settings.decay * (vectors[from + k]! - first.vectors[from + k]!)
				square += slope[k]! * slope[k]!
			}
			squares[word]! += square / dimensions
			const rate = settings.rate / Math.sqrt(squares[word]! * dimensions)
			for (let k = 0; k < dimensions; k++) vectors[from + k]! -= rate * slope[k]!
			const loud = slopes.loudness.get(word)! + settings.decay * (loudness[word]! - first.loudness[word]!)
			loudSquares[word]! += loud * loud
			loudness[word]! -= (settings.rate * loud) / Math.sqrt(loudSquares[word]!)
		}
	}

	return (pairs) => {
		for (let i = 0; i + BATCH <= pairs.length; i += BATCH)
			learn(slopesOf(taught, pairs.slice(i, i + BATCH), settings.scale))
	}
}

interface Slopes {
	vectors: Map<number, Float64Array>
	loudness: Map<number, number>
}

function slopesOf(taught: Taught, pairs: readonly Pair[], scale: number): Slopes {
	const texts = pairs.map(({ meant }) => meant)
	const own = pairs.map(({ decoys }) => decoys.map((decoy) => texts.push(decoy) - 1))
	const asked = pairs.map((pair) => sumOf(taught, pair.asked))
	const meant = texts.map((text) => sumOf(taught, text))
	const slopes: Slopes = { vectors: new Map(), loudness: new Map() }
	const back = meant.map(() => new Float64Array(taught.dimensions))
	pairs.forEach(({ asked: words, weight }, i) => {
		// The same text as another pair's is no wrong answer.
		const list = [...pairs.keys()].filter((j) => j === i || texts[j] !== texts[i]).concat(own[i]!)
		const margins = list.map((j) => scale * product(asked[i]!.unit, meant[j]!.unit))
		const top = Math.max(...margins)
		const shares = margins.map((margin) => Math.exp(margin - top))
		const sum = shares.reduce((a, b) => a + b, 0)
		const there = new Float64Array(taught.dimensions)
		list.forEach((j, place) => {
			const slope = weight * scale * (shares[place]! / sum - (j === i ? 1 : 0))
			if (Math.abs(slope) < IDLE) return
			for (let k = 0; k < there.length; k++) {
				there[k]! += slope * meant[j]!.unit[k]!
				back[j]![k]! += slope * asked[i]!.unit[k]!
			}
		})
		passOn(taught, words, asked[i]!, there, slopes)
	})
	texts.forEach((words, j) => {
		passOn(taught, words, meant[j]!, back[j]!, slopes)
	})
	return slopes
}

/** From the direction of a text to its words. */
function passOn(taught: Taught, words: Words, { unit, length }: Sum, slope: Float64Array, to: Slopes): void {
	const { dimensions, vectors, loudness } = taught
	const along = product(slope, unit)
	const across = slope.map((x, k) => (x - along * unit[k]!) / length)
	for (const word of words) {
		const own = to.vectors.get(word) ?? new Float64Array(dimensions)
		to.vectors.set(word, own)
		const loud = Math.exp(loudness[word]!)
		let sum = 0
		for (let k = 0; k < dimensions; k++) {
			own[k]! += loud * across[k]!
			sum += loud * vectors[word * dimensions + k]! * across[k]!
		}
		to.loudness.set(word, (to.loudness.get(word) ?? 0) + sum)
	}
}
