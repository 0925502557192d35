/**
 * Injection: detectors over sentences, then trees over what the detectors and the shape of the whole text say. The
 * trees learn from detectors that had not seen the text's source, so they know how far to trust them on a new one.
 */
import { CLAIM_FEATURES, viewClaim } from '../builtin/claim.ts'
import { passages } from '../builtin/passages.ts'
import type { Ensemble } from '../learn/ensemble.ts'
import { trainLinear } from '../learn/linear.ts'
import { random } from '../learn/random.ts'
import { sigmoid } from '../learn/trees.ts'
import {
	type Detectors,
	injectionFeatures,
	type Reading,
	readForScreen,
	SCREEN_FEATURES,
} from '../screen/reading.ts'
import { VIEW_SIZE, VIEWS } from '../screen/windows.ts'
import { read } from '../text/document.ts'
import { sentences } from '../text/sentences.ts'
import type { ScreenRow } from './data.ts'
import { columnsOf, type Example, fitCalibrated, settings, weightsOf } from './fit.ts'
import { ATTACKS, HARMLESS, LEADS, patterned } from './seeds.ts'

const SEED = 7
/** Our own examples are never more than the collected ones. */
const MIXED_TEXTS = 1_500
const PATTERNED = 400
const LONGEST_TEXT_UNITS = 12_000
/** Share of harmless texts of unseen sources that may be flagged. */
const FALSE_ALARMS = 0.02

interface Text {
	text: string
	y: 0 | 1
	fold: string
	/** Fold of the text that an example was mixed into. */
	base?: string
}

export function trainScreen(rows: readonly ScreenRow[]): {
	detectors: Detectors
	injection: Ensemble
	threshold: number
} {
	const { examples, detectors } = screenExamples(rows)
	const chosen = settings(columnsOf(SCREEN_FEATURES, []), { depth: 2, rounds: 80, mix: 0.5 })
	const { model, margins } = fitCalibrated(examples, chosen, true)
	return { detectors, injection: model, threshold: thresholdOf(examples, margins, model) }
}

/** Detectors of all rows, and every text as detectors see it that missed its source. */
export function screenExamples(rows: readonly ScreenRow[]): { examples: Example[]; detectors: Detectors } {
	const collected = rows.map(
		(row): Text => ({
			text: row.text.slice(0, LONGEST_TEXT_UNITS),
			y: row.injection,
			fold: foldOf(row.source),
		}),
	)
	const texts = [...collected, ...written(collected)]
	const readings = texts.map(({ text }) => readForScreen(text))
	const examples: Example[] = new Array(texts.length)
	for (const fold of new Set(texts.map((text) => text.fold))) {
		const held = fold === OWN ? null : fold
		const detectors = trainDetectors(
			texts,
			readings,
			(text) => held === null || (text.fold !== held && text.base !== held),
		)
		texts.forEach((text, i) => {
			if (text.fold === fold)
				examples[i] = { x: injectionFeatures(readings[i]!, detectors).features, y: text.y, fold }
		})
	}
	return { examples, detectors: trainDetectors(texts, readings, () => true) }
}

/** Origins of the collected sets. Pages of documentation are one origin, in two halves. */
export function foldOf(source: string): string {
	if (source.startsWith('bipia')) return 'bipia'
	if (source.startsWith('tasktracker') || source.startsWith('xquad')) return 'tasktracker'
	if (source.startsWith('inthewild') || source.startsWith('wildguard')) return 'jailbreak'
	if (['neuralchemy', 'injecagent', 'deepset-prompt-injections'].includes(source)) return source
	return /VoltAgent|datasette|owasp|summedits|agent-files|banking/.test(source) ? 'pages-1' : 'pages-2'
}

const OWN = 'own'

/** The project's own examples, alone and put into harmless texts of the collected sets. */
function written(collected: readonly Text[]): Text[] {
	const next = random(SEED)
	const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!
	const hosts = collected.filter(
		({ text, y, fold }) =>
			!y && text.length > 300 && !['neuralchemy', 'jailbreak', 'deepset-prompt-injections'].includes(fold),
	)
	const out: Text[] = [
		...ATTACKS.slice(0, collected.length).map((text): Text => ({ text, y: 1, fold: OWN })),
		...HARMLESS.slice(0, collected.length).map((text): Text => ({ text, y: 0, fold: OWN })),
		...patterned(next, Math.min(PATTERNED, collected.length)).map(
			([text, y]): Text => ({ text, y, fold: OWN }),
		),
	]
	for (let i = 0; i < Math.min(MIXED_TEXTS, collected.length) && hosts.length; i++) {
		const host = pick(hosts)
		const y = i % 3 ? 1 : 0
		const lead = next() < 0.25 ? `${y ? pick(LEADS) : 'Note:'} ` : ''
		const said = lead + pick(y ? ATTACKS : HARMLESS)
		const places = sentences(host.text)
		const at = next() < 0.2 ? 0 : next() < 0.3 || !places.length ? host.text.length : pick(places).end
		const [before, after] = [next() < 0.5 ? ' ' : '\n', next() < 0.5 ? ' ' : '\n']
		out.push({
			text: host.text.slice(0, at) + before + said + after + host.text.slice(at),
			y,
			fold: OWN,
			base: host.fold,
		})
	}
	return out
}

function trainDetectors(
	texts: readonly Text[],
	readings: readonly Reading[],
	keep: (text: Text) => boolean,
): Detectors {
	const kept = texts.map((_, i) => i).filter((i) => keep(texts[i]!))
	const weights = weightsOf(
		kept.map((i) => texts[i]!),
		true,
	)
	const detectors = VIEWS.map((view) => {
		const bags = kept.map((i, k) => ({
			windows: readings[i]!.views.map((views) => views[view]),
			label: texts[i]!.y,
			weight: weights[k]!,
		}))
		return [
			view,
			trainLinear(bags, {
				size: VIEW_SIZE[view],
				epochs: 3,
				rate: 0.1,
				decay: 1e-5,
				dropout: 0.3,
				temperature: 0.5,
				seed: SEED,
			}),
		]
	})
	return Object.fromEntries(detectors) as Detectors
}

function thresholdOf(
	examples: readonly Example[],
	margins: Float64Array,
	{ slope, offset }: Ensemble,
): number {
	const harmless = [...margins]
		.filter((_, i) => !examples[i]!.y && examples[i]!.fold !== OWN)
		.sort((a, b) => b - a)
	const at = harmless[Math.floor(harmless.length * FALSE_ALARMS)] ?? 0
	return Math.min(0.9, Math.max(0.3, sigmoid(slope * at + offset)))
}

/** Relevance to a purpose, from texts without an injection: those with one are all relevant in the data. */
export function trainRelevance(rows: readonly ScreenRow[]): Ensemble {
	const examples = rows
		.filter((row) => row.purpose !== undefined && !row.injection)
		.map((row) => ({
			x: viewClaim(read(row.purpose!), passages([row.text])).features,
			y: row.relevant ?? 0,
			fold: row.source
				.replace(/-(en|de|es)-/, '-')
				.split('-')
				.slice(0, 2)
				.join('-'),
		}))
	return fitCalibrated(
		examples,
		settings(columnsOf(CLAIM_FEATURES, ['passages', 'lengthB', 'ratio', 'sources']), { depth: 3 }),
		true,
	).model
}
