/**
 * Trains the built-in judge: `npm run train [-- --data DIR --out FILE --hold-out --every N]`. One seed, one order, no clock: the
 * same rows give the same bytes. Only weights are written. `--lexicon DIR` and `--languages DIR` distil what the judge
 * knows of words instead (see lexicon.ts and languages.ts).
 */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { progress } from '../../../../.tools/progress.mjs'
import type { EnsembleName, Tuned } from '../../builtin/models.ts'
import { type Numbers, saveWeights } from '../../learned/arrays.ts'
import { type Ensemble, packEnsemble } from '../../learned/ensemble.ts'
import { packLinear } from '../../learned/linear.ts'
import { packListwise } from '../../learned/listwise.ts'
import { DETECTORS } from '../../screen/reading.ts'
import { DataError, loadRows, type Rows } from './data.ts'
import { sureFrom } from './fit.ts'
import { HELD_OUT, NEVER_TRAINED } from './held-out.ts'
import { buildLanguages } from './languages.ts'
import { buildLexicon } from './lexicon.ts'
import { trainNoul } from './propositions.ts'
import { trainChoice, trainFind, trainRouting } from './ranking.ts'
import { trainScore } from './rubrics.ts'
import { trainRelevance, trainScreen } from './screen.ts'
import { trainVerify } from './verify.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const weights = fileURLToPath(new URL('../../weights/', import.meta.url))
const SPLITS = ['train', 'dev']
/** The second instalment teaches these; of the others it was tried for none. */
const TAUGHT_TWICE: readonly (keyof Rows)[] = ['verify', 'screen']

export interface TrainSettings {
	data: string
	out: string
	holdOut: boolean
	/** Only every so many rows: a quick look. */
	every?: number
	/** Told what was done, and how long it took. */
	log(line: string): void
	/** Told what is done now, and how much has been. */
	told?(step: string, done: number): void
}

const STEPS = 8

export function train({ data, out, holdOut, every = 1, log, told }: TrainSettings): number {
	// Before the minutes of work, not after them.
	mkdirSync(dirname(out), { recursive: true })
	const rows = <T extends keyof Rows>(tool: T) =>
		loadRows(data, tool, TAUGHT_TWICE.includes(tool) ? [...SPLITS, 'train-2'] : SPLITS).filter(
			({ source }, i) =>
				i % every === 0 && !NEVER_TRAINED.includes(source) && !(holdOut && HELD_OUT[tool].includes(source)),
		)
	let steps = 0
	const step = <T>(name: string, run: () => T): T => {
		told?.(name, steps++)
		const start = performance.now()
		const done = run()
		log(`${name}: ${((performance.now() - start) / 1_000).toFixed(1)} s`)
		return done
	}
	const score = step('score', () => trainScore(rows('score')))
	const noul = step('noul', () => trainNoul(rows('noul'), score.models.pair))
	const verify = step('verify', () => trainVerify(rows('verify')))
	const find = step('find', () => trainFind(rows('find')))
	const choice = step('choice', () => trainChoice(rows('choice')))
	const routing = step('routing', () => trainRouting(rows('choice')))
	const relevance = step('relevance', () => trainRelevance(rows('screen')))
	const screen = step('screen', () => trainScreen(rows('screen')))
	const ensembles: Record<EnsembleName, Ensemble> = {
		unsupported: verify.unsupported,
		contradicted: verify.contradicted,
		injection: screen.injection,
		relevance,
		find: find.model,
		noul: noul.model,
		choice: choice.choice,
		gate: choice.gate,
		...score.models,
	}
	const tuned: Tuned = {
		verify: verify.tuned,
		screen: { threshold: screen.threshold, span: 0.5 },
		noul: { baseRate: noul.baseRate, same: noul.same },
		choice: { temperature: choice.temperature },
		score: { spread: score.spread },
		sure: {
			verify: verify.sure,
			screen: 0.9,
			find: find.sure,
			noul: noul.sure,
			choice: sureFrom(choice.lists, choice.answers),
			score: 0.5,
		},
	}
	const arrays: Record<string, Numbers> = {}
	for (const [name, model] of Object.entries(ensembles)) Object.assign(arrays, packEnsemble(name, model))
	for (const name of DETECTORS) Object.assign(arrays, packLinear(`detect.${name}`, screen.detectors[name]))
	Object.assign(arrays, packListwise('routing', routing))
	const bytes = saveWeights(out, { meta: { tuned }, arrays })
	log(`${out}: ${bytes} bytes`)
	return bytes
}

if (import.meta.main) {
	const { values } = parseArgs({
		options: {
			data: { type: 'string', default: `${root}../shared/guard-data` },
			out: { type: 'string', default: `${weights}judge.bin` },
			'hold-out': { type: 'boolean', default: false },
			every: { type: 'string', default: '1' },
			lexicon: { type: 'string' },
			languages: { type: 'string' },
		},
	})
	try {
		if (values.lexicon) saveWeights(`${weights}lexicon.bin`, buildLexicon(values.lexicon))
		else if (values.languages) saveWeights(`${weights}languages.bin`, buildLanguages(values.languages))
		else {
			const shown = progress('train: steps done', STEPS)
			const told = (step: string, done: number) => shown.at(done, step)
			train({
				data: values.data,
				out: values.out,
				holdOut: values['hold-out'],
				every: Number(values.every),
				log: console.log,
				told,
			})
			shown.at(STEPS)
			shown.end()
		}
	} catch (error) {
		if (!(error instanceof DataError)) throw error
		console.error(
			`${error.message}\nThe weights in connector/judge/weights serve as they are; training needs the rows (--data DIR).`,
		)
		process.exitCode = 1
	}
}
