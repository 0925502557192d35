/** A text as the injection models see it: views of every sentence and of what is in disguise, and signals of the whole. */
import { type Linear, margin } from '../learned/linear.ts'
import { classOf, isUpper, LETTER } from '../text/chars.ts'
import { type Document, read, readWith, type Sentence } from '../text/document.ts'
import type { Folded } from '../text/fold.ts'
import { ASK_FEATURES, ASKING_NAMES, type Asking, askFeatures } from './asks.ts'
import { disguised } from './disguise.ts'
import { pieces } from './pieces.ts'
import { PLANTED_SIGNS, plantedSigns } from './planted.ts'
import { SIGNALS, signals } from './signals.ts'
import { TONGUES, tonguesOf } from './tongues.ts'
import { VIEWS, type View, windowViews } from './windows.ts'

export interface Reading {
	document: Document
	/** Sentences and pieces of them, then what was found in disguise. */
	sentences: Sentence[]
	views: Record<View, Uint32Array>[]
	signals: Float32Array
}

export type Detectors = Record<View | Asking, Linear>
export const DETECTORS = [...VIEWS, ...ASKING_NAMES] as const

export function readForScreen(text: string): Reading {
	const document = read(isLoud(text) ? quietly(text) : text)
	return readingOf(document, disguised(document))
}

const LOUD = 0.6
const LETTERS_READ = 2_000

/** Written in capitals: what it says counts, not how loudly. */
function isLoud(text: string): boolean {
	let letters = 0
	let capitals = 0
	for (let i = 0; i < text.length && letters < LETTERS_READ; i++) {
		const unit = text.charCodeAt(i)
		if (classOf(unit) !== LETTER) continue
		letters++
		if (isUpper(unit)) capitals++
	}
	return letters > 0 && capitals > LOUD * letters
}

/** In lower case, where every character keeps its length. */
function quietly(text: string): string {
	const low = text.toLowerCase()
	return low.length === text.length ? low : text
}

/** The same without folding and without a look behind disguises: for comparison only. */
export function readPlainly(text: string): Reading {
	return readingOf(readWith(text, lowerCased), [])
}

const lowerCased = (source: string): Folded => ({
	text: source.toLowerCase().padEnd(source.length).slice(0, source.length),
	at: Uint32Array.from({ length: source.length + 1 }, (_, i) => i),
	hidden: 0,
	lookalikes: 0,
})

function readingOf(document: Document, hidden: Sentence[]): Reading {
	const sentences = [...pieces(document), ...hidden]
	return {
		document,
		sentences,
		views: sentences.map(windowViews),
		signals: Float32Array.of(
			...signals(document, sentences, hidden.length),
			...tonguesOf(document.sentences),
			...plantedSigns(sentences),
		),
	}
}

const POOLED = ['top', 'second', 'mean'] as const
export const SCREEN_FEATURES = [
	...VIEWS.flatMap((view) => POOLED.map((name) => `${view}.${name}`)),
	'all.top',
	...SIGNALS,
	...TONGUES,
	...PLANTED_SIGNS,
	...ASK_FEATURES,
]

/** Features of the text, and the mean margin of the detectors for each of its sentences. */
export function injectionFeatures(
	reading: Reading,
	detectors: Detectors,
): { features: Float32Array; margins: Float64Array } {
	const features = new Float32Array(SCREEN_FEATURES.length)
	const margins = new Float64Array(reading.views.length)
	VIEWS.forEach((view, place) => {
		const found = reading.views.map((views) => margin(detectors[view], views[view]))
		features.set(pool(found), place * POOLED.length)
		for (let i = 0; i < found.length; i++) margins[i]! += found[i]! / VIEWS.length
	})
	features[VIEWS.length * POOLED.length] = margins.reduce((a, b) => Math.max(a, b), LOWEST)
	const own = VIEWS.length * POOLED.length + 1
	features.set(reading.signals, own)
	features.set(askFeatures(reading.views, detectors, margins), own + reading.signals.length)
	return { features, margins }
}

const LOWEST = -6

/** The two highest margins and the mean. */
function pool(margins: readonly number[]): [number, number, number] {
	let top = LOWEST
	let second = LOWEST
	let sum = 0
	for (const margin of margins) {
		sum += margin
		if (margin > top) [top, second] = [margin, top]
		else if (margin > second) second = margin
	}
	return [top, second, margins.length ? sum / margins.length : LOWEST]
}
