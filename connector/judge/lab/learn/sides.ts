/**
 * Two last layers for one encoder: one for what is asked, one for what is offered, so that the right offer points where
 * the question does. Both begin as the layer that the encoder came with and are pulled back to it. One seed, one order:
 * the same lists give the same numbers.
 */
import { softmax } from '../../learned/trees.ts'
import { dot } from '../../text/similarity.ts'
import { random, shuffle } from './random.ts'

/** Places of texts; the first that is offered is the right one. */
export interface List {
	asked: number
	offered: readonly number[]
	weight: number
}

export interface Layer {
	/** A row for each number that comes out. */
	matrix: Float32Array
	bias: Float32Array
}

const EPOCHS = 6
const BATCH = 32
const RATE = 0.3
/** Pull towards the layer that it began as. */
const DECAY = 0.01
/** Of the comparison: a cosine of 1 counts ten. */
const SCALE = 10
const SEED = 2_718

/** `texts` has a row for each text, as it goes into the last layer. */
export function teachSides(
	texts: Float32Array,
	first: Layer,
	lists: readonly List[],
): [Float32Array, Float32Array] {
	const next = random(SEED)
	const sides = [first.matrix.slice(), first.matrix.slice()] as const
	const steps = EPOCHS * Math.ceil(lists.length / BATCH)
	for (let epoch = 0, step = 0; epoch < EPOCHS; epoch++) {
		const order = shuffle([...lists], next)
		for (let from = 0; from < order.length; from += BATCH, step++) {
			const slopes = sides.map((matrix) => new Float32Array(matrix.length))
			for (const list of order.slice(from, from + BATCH)) addSlopes(texts, first.bias, sides, slopes, list)
			const rate = RATE * (1 - step / steps)
			sides.forEach((matrix, side) => {
				const slope = slopes[side]!
				for (let i = 0; i < matrix.length; i++)
					matrix[i]! -= rate * (slope[i]! / BATCH + DECAY * (matrix[i]! - first.matrix[i]!))
			})
		}
	}
	return [...sides]
}

interface Pointed {
	/** Of length 1. */
	unit: Float32Array
	length: number
}

function addSlopes(
	texts: Float32Array,
	bias: Float32Array,
	[ask, offer]: readonly [Float32Array, Float32Array],
	[askSlope, offerSlope]: readonly Float32Array[],
	{ asked, offered, weight }: List,
): void {
	const width = bias.length
	const rowOf = (text: number) => texts.subarray(text * width, (text + 1) * width)
	const question = pointed(ask, bias, rowOf(asked))
	const offers = offered.map((text) => pointed(offer, bias, rowOf(text)))
	const shares = softmax(offers.map(({ unit }) => SCALE * dot(question.unit, unit)))
	const pull = new Float32Array(width)
	offers.forEach((one, i) => {
		const error = SCALE * weight * (shares[i]! - (i === 0 ? 1 : 0))
		for (let k = 0; k < width; k++) pull[k]! += error * one.unit[k]!
		addSlope(offerSlope!, rowOf(offered[i]!), one, question.unit, error)
	})
	addSlope(askSlope!, rowOf(asked), question, pull, 1)
}

function pointed(matrix: Float32Array, bias: Float32Array, x: Float32Array): Pointed {
	const unit = new Float32Array(bias.length)
	for (let k = 0, at = 0; k < unit.length; k++) {
		let sum = bias[k]!
		for (let i = 0; i < x.length; i++, at++) sum += matrix[at]! * x[i]!
		unit[k] = Math.tanh(sum)
	}
	const length = Math.sqrt(dot(unit, unit)) || 1
	for (let k = 0; k < unit.length; k++) unit[k]! /= length
	return { unit, length }
}

/** Of a text that shall point away from `pull`, so much. */
function addSlope(
	slope: Float32Array,
	x: Float32Array,
	{ unit, length }: Pointed,
	pull: Float32Array,
	much: number,
): void {
	const along = dot(unit, pull)
	for (let k = 0, at = 0; k < unit.length; k++) {
		const inside = 1 - (unit[k]! * length) ** 2
		const part = ((much * (pull[k]! - along * unit[k]!)) / length) * inside
		for (let i = 0; i < x.length; i++, at++) slope[at]! += part * x[i]!
	}
}
