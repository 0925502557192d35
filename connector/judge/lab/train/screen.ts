/**
 * Injection: detectors over sentences, then trees over what the detectors and the shape of the whole text say. The
 * trees learn from detectors that had not seen the text's source, so they know how far to trust them on a new one.
 */
import { NEARNESS, nearness } from '../../builtin/screen.ts'
import type { Ensemble } from '../../learned/ensemble.ts'
import { sigmoid } from '../../learned/trees.ts'
import { ASKING } from '../../screen/asks.ts'
import {
	type Detectors,
	injectionFeatures,
	type Reading,
	readForScreen,
	SCREEN_FEATURES,
} from '../../screen/reading.ts'
import { VIEW_SIZE, VIEWS, type View } from '../../screen/windows.ts'
import { trainLinear } from '../learn/linear.ts'
import type { ScreenRow } from './data.ts'
import { columnsOf, type Example, fitCalibrated, settings, weightsOf } from './fit.ts'
import { OWN, type Text, written } from './mixed.ts'

const SEED = 7
const LONGEST_TEXT_UNITS = 12_000
/** Share of harmless texts of unseen sources that may be flagged. */
const FALSE_ALARMS = 0.015

export function trainScreen(rows: readonly ScreenRow[]): {
	detectors: Detectors
	injection: Ensemble
	threshold: number
} {
	const { examples, detectors } = screenExamples(rows)
	const chosen = settings(columnsOf(SCREEN_FEATURES, []), { depth: 3, rounds: 40, mix: 0.7 })
	const collected = examples.flatMap(({ fold }, i) => (fold.startsWith(OWN) ? [] : [i]))
	const { model, margins } = fitCalibrated(examples, chosen, true, ['unseen', 'known'], collected)
	return { detectors, injection: model, threshold: thresholdOf(examples, margins, model) }
}

/** Detectors of all rows, and every text as detectors see it that missed its source. */
export function screenExamples(rows: readonly ScreenRow[]): { examples: Example[]; detectors: Detectors } {
	const collected = rows.map(
		(row): Text => ({
			text: row.text.slice(0, LONGEST_TEXT_UNITS),
			y: row.injection,
			asks: row.injection || row.kind === 'direct' || row.kind === 'jailbreak' ? 1 : 0,
			fold: foldOf(row.source),
			prompt: row.kind === 'direct',
		}),
	)
	const texts = [...collected, ...written(collected)]
	const readings = texts.map(({ text }) => readForScreen(text))
	const examples: Example[] = new Array(texts.length)
	for (const fold of new Set(texts.map((text) => text.fold))) {
		const detectors = trainDetectors(texts, readings, (text) => text.fold !== fold && text.base !== fold)
		texts.forEach((text, i) => {
			if (text.fold !== fold) return
			examples[i] = { x: injectionFeatures(readings[i]!, detectors).features, y: text.y, fold }
		})
	}
	return { examples, detectors: trainDetectors(texts, readings, () => true) }
}

/** Passages of these stand in rows that are built. */
const PADDING = new Set(['llmail-fp', 'recipes', 'shakespeare', 'repo-docs', 'sgd-chats'])
/** What people write to people or to a machine at home. */
const TOLD = new Set(['sms-spam', 'tldr', 'home-commands', 'abcd', 'self-instruct-seed', 'repo-code'])
/** Texts about attacks, and attacks that lists of them name. */
const ABOUT = /^(owasp-llm|mitre|arcanum|brex|llm-guard|langkit|payloads|giskard|langchain-pi)/
/** Prompts: roles, persuasion, orders in a frame. */
const SPOKEN = /^(spikee|jbb|redteamcua|role-prompts|xstest|fuzzyai|gptfuzzer|compass|pif)/

/** Origins of the collected sets; of the scenes, each author. Pages of documentation are one origin, in two halves. */
export function foldOf(source: string): string {
	if (source.startsWith('scene')) return source
	if (source.startsWith('bipia')) return 'bipia'
	if (source.startsWith('tasktracker') || source.startsWith('xquad')) return 'tasktracker'
	if (source.startsWith('inthewild') || source.startsWith('wildguard')) return 'jailbreak'
	if (['neuralchemy', 'injecagent', 'deepset-prompt-injections'].includes(source)) return source
	if (source.startsWith('built') || PADDING.has(source)) return 'built'
	if (TOLD.has(source)) return 'told'
	if (ABOUT.test(source)) return 'about'
	if (SPOKEN.test(source)) return 'spoken'
	return /VoltAgent|datasette|owasp|summedits|agent-files|banking/.test(source) ? 'pages-1' : 'pages-2'
}

function trainDetectors(
	texts: readonly Text[],
	readings: readonly Reading[],
	keep: (text: Text) => boolean,
): Detectors {
	const kept = texts.map((_, i) => i).filter((i) => keep(texts[i]!))
	const train = (view: View, places: readonly number[], labelOf: (text: Text) => 0 | 1) => {
		const rows = places.map((i) => ({ y: labelOf(texts[i]!), fold: texts[i]!.fold }))
		const weights = weightsOf(rows, true)
		const bags = places.map((i, k) => ({
			windows: readings[i]!.views.map((views) => views[view]),
			label: rows[k]!.y,
			weight: weights[k]!,
		}))
		return trainLinear(bags, { ...DETECTOR, size: VIEW_SIZE[view] })
	}
	const plain = kept.filter((i) => !texts[i]!.requestOnly)
	return Object.fromEntries([
		...VIEWS.map((view) => [view, train(view, plain, ({ y }) => y)]),
		...ASKING.map((view) => [`ask.${view}`, train(view, kept, ({ asks }) => asks)]),
	]) as Detectors
}

const DETECTOR = { epochs: 3, rate: 0.1, decay: 1e-5, dropout: 0.3, temperature: 0.5, seed: SEED }

function thresholdOf(
	examples: readonly Example[],
	margins: Float64Array,
	{ slope, offset }: Ensemble,
): number {
	const harmless = [...margins]
		.filter((_, i) => !examples[i]!.y && !examples[i]!.fold.startsWith(OWN))
		.sort((a, b) => b - a)
	const at = harmless[Math.floor(harmless.length * FALSE_ALARMS)] ?? 0
	return Math.min(0.9, Math.max(0.3, sigmoid(slope * at + offset)))
}

/** Relevance to a purpose, from texts without an injection: those with one are all relevant in the data. */
export function trainRelevance(rows: readonly ScreenRow[]): Ensemble {
	const examples = rows
		.filter((row) => row.purpose !== undefined && row.relevant !== undefined && !row.injection)
		.map((row) => ({
			x: nearness(row.purpose!, row.text),
			y: row.relevant!,
			fold: row.source
				.replace(/-(en|de|es)-/, '-')
				.split('-')
				.slice(0, 2)
				.join('-'),
		}))
	return fitCalibrated(
		examples,
		settings(columnsOf(NEARNESS, ['passages', 'lengthB', 'ratio', 'sources']), { depth: 3 }),
		true,
	).model
}
