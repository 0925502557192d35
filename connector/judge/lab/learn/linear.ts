/**
 * Logistic regression over hashed features of the sentences of a text, learned from labels of whole texts: the text is
 * as suspect as its worst sentences, and the error of the text flows to those (multiple-instance learning).
 */
import { type Linear, LOUDNESS, margin } from '../../learned/linear.ts'
import { random, shuffle } from './random.ts'

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

const IDLE_SHARE = 0.02

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
