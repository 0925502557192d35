/**
 * Logistic regression over hashed features of the sentences of a text, learned from labels of whole texts: the text is
 * as suspect as its worst sentences, and the error of the text flows to those (multiple-instance learning).
 */
import type { Numbers } from './arrays.ts'
import { random, shuffle } from './random.ts'

export interface Linear {
	/** Weights of features; the last entry is the bias. */
	weights: Float32Array
}

export interface Bag {
	windows: readonly Uint32Array[]
	label: 0 | 1
	weight: number
}

export interface LinearSettings {
	size: number
	epochs: number
	rate: number
	decay: number
	/** Chance that a feature is left out of one step: no single word may carry a verdict. */
	dropout: number
	temperature: number
	seed: number
}

/** Features of a sentence share its say: long sentences speak no louder. */
const LOUDNESS = 3
const IDLE_SHARE = 0.02

export function margin({ weights }: Linear, features: ArrayLike<number>): number {
	let sum = 0
	for (let i = 0; i < features.length; i++) sum += weights[features[i]!]!
	return weights[weights.length - 1]! + (features.length ? (LOUDNESS * sum) / Math.sqrt(features.length) : 0)
}

export function trainLinear(bags: readonly Bag[], settings: LinearSettings): Linear {
	const model: Linear = { weights: new Float32Array(settings.size + 1) }
	const squares = new Float32Array(settings.size + 1).fill(1e-3)
	const next = random(settings.seed)
	for (let epoch = 0; epoch < settings.epochs; epoch++) {
		for (const bag of shuffle([...bags], next)) step(model, squares, bag, settings, next)
	}
	return model
}

function step(
	model: Linear,
	squares: Float32Array,
	bag: Bag,
	settings: LinearSettings,
	next: () => number,
): void {
	const { weights } = model
	const bias = weights.length - 1
	const margins = bag.windows.map((window) => margin(model, window))
	const top = margins.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)
	const shares = margins.map((m) => Math.exp((m - top) / settings.temperature))
	const sum = shares.reduce((a, b) => a + b, 0)
	const pooled = margins.reduce((total, m, i) => total + (m * shares[i]!) / sum, 0)
	const error = (1 / (1 + Math.exp(-pooled)) - bag.label) * bag.weight
	bag.windows.forEach((window, i) => {
		const share = shares[i]! / sum
		if (share < IDLE_SHARE || !window.length) return
		const slope = error * share
		const scale = LOUDNESS / Math.sqrt(window.length)
		for (const feature of window) {
			if (next() < settings.dropout) continue
			const gradient = slope * scale + settings.decay * weights[feature]!
			squares[feature]! += gradient * gradient
			weights[feature]! -= (settings.rate * gradient) / Math.sqrt(squares[feature]!)
		}
		squares[bias]! += slope * slope
		weights[bias]! -= (settings.rate * slope) / Math.sqrt(squares[bias]!)
	})
}

/** Eight bits a weight, one scale, the bias apart. */
export function packLinear(name: string, { weights }: Linear): Record<string, Numbers> {
	const size = weights.length - 1
	let top = 1e-9
	for (let i = 0; i < size; i++) top = Math.max(top, Math.abs(weights[i]!))
	return {
		[`${name}.head`]: Float32Array.of(weights[size]!, top),
		[`${name}.weights`]: Int8Array.from(weights.subarray(0, size), (weight) =>
			Math.round((weight / top) * 127),
		),
	}
}

export function unpackLinear(name: string, arrays: Record<string, Numbers>): Linear {
	const [bias, top] = arrays[`${name}.head`] as Float32Array
	const packed = arrays[`${name}.weights`] as Int8Array
	const weights = new Float32Array(packed.length + 1)
	for (let i = 0; i < packed.length; i++) weights[i] = (packed[i]! / 127) * top!
	weights[packed.length] = bias!
	return { weights }
}
