/**
 * Trains the built-in judge: `npm run train [-- --data DIR --out FILE --only PARTS --hold-out --every N]`. One seed, one
 * order, no clock: the same rows give the same bytes. Only weights are written. `--lexicon DIR`, `--languages DIR`,
 * `--meanings DIR`, `--valence DIR` and `--encoder DIR` distil what the judge knows of words instead (see the files of
 * these names).
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { progress } from '../../../../.tools/progress.mjs'
import { ENSEMBLES, type EnsembleName, type Tuned } from '../../builtin/models.ts'
import { loadWeights, type Numbers, saveWeights, type Weights } from '../../learned/arrays.ts'
import { type Ensemble, packEnsemble, unpackEnsemble } from '../../learned/ensemble.ts'
import { DataError, loadRows, type Rows } from './data.ts'
import { buildEncoder } from './encoder.ts'
import { HELD_OUT, NEVER_TRAINED } from './held-out.ts'
import { buildLanguages } from './languages.ts'
import { buildLexicon } from './lexicon.ts'
import { buildMeanings } from './meanings.ts'
import { PARTS } from './parts.ts'
import { buildValence } from './valence.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const SCENES_DIR = fileURLToPath(new URL('../scenes/', import.meta.url))
/** Tools that learn from rows written beside the collected ones: from all of these, whatever part of those is. */
const SCENES: readonly (keyof Rows)[] = ['screen', 'verify', 'noul']
const weights = fileURLToPath(new URL('../../weights/', import.meta.url))
const NAMES = Object.keys(PARTS)
const SPLITS = ['train', 'dev']
/** The second instalment teaches these; it was not tried for the others. */
const TAUGHT_TWICE: readonly (keyof Rows)[] = ['verify', 'screen', 'find', 'noul']

export interface TrainSettings {
	data: string
	/** Another folder of scenes than the project's own. */
	scenes?: string
	out: string
	holdOut: boolean
	/** Only these of `PARTS`; of the others the shipped weights are kept. */
	only?: readonly string[]
	/** Only every so many rows: a quick look. */
	every?: number
	/** Told what was done, and how long it took. */
	log(line: string): void
	/** Told what is done now, and how much has been. */
	told?(step: string, done: number): void
}

export function train({
	data,
	scenes = SCENES_DIR,
	out,
	holdOut,
	only = NAMES,
	every = 1,
	log,
	told,
}: TrainSettings): number {
	// Before the minutes of work, not after them.
	mkdirSync(dirname(out), { recursive: true })
	const rows = <T extends keyof Rows>(tool: T) => [
		...loadRows(data, tool, TAUGHT_TWICE.includes(tool) ? [...SPLITS, 'train-2'] : SPLITS).filter(
			({ source }, i) =>
				i % every === 0 && !NEVER_TRAINED.includes(source) && !(holdOut && HELD_OUT[tool].includes(source)),
		),
		...(SCENES.includes(tool) ? loadRows(scenes, tool, ['taught']) : []),
	]
	const kept: Weights | null = only.length < NAMES.length ? loadWeights(`${weights}judge.bin`) : null
	const arrays: Record<string, Numbers> = { ...kept?.arrays }
	const tuned = { ...(kept?.meta.tuned as Tuned | undefined) }
	const before = (name: EnsembleName): Ensemble => unpackEnsemble(name, arrays)
	for (const [done, name] of NAMES.filter((one) => only.includes(one)).entries()) {
		told?.(name, done)
		const start = performance.now()
		const part = PARTS[name]!(rows, before, () => tuned as Tuned, arrays)
		for (const [one, model] of Object.entries(part.ensembles)) Object.assign(arrays, packEnsemble(one, model))
		Object.assign(arrays, part.arrays)
		Object.assign(tuned, part.tuned, { sure: { ...tuned.sure, ...part.sure } })
		log(`${name}: ${((performance.now() - start) / 1_000).toFixed(1)} s`)
	}
	const bytes = saveWeights(out, inOrder({ meta: { tuned }, arrays }))
	const digest = createHash('sha256').update(readFileSync(out)).digest('hex')
	log(`${out}: ${bytes} bytes, sha256 ${digest}`)
	return bytes
}

/** The same file whichever tools were trained together. */
function inOrder({ meta: { tuned }, arrays }: Weights): Weights {
	const place = (name: string) => {
		const at = ENSEMBLES.indexOf(name.split('.')[0] as EnsembleName)
		return at < 0 ? ENSEMBLES.length : at
	}
	const names = Object.keys(arrays).sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1))
	const sorted = <T extends object>(members: T): T =>
		Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1))) as T
	const { sure, ...rest } = tuned as Tuned
	return {
		meta: { tuned: { ...sorted(rest), sure: sorted(sure) } },
		arrays: Object.fromEntries(names.map((name) => [name, arrays[name]!])),
	}
}

/** Parts by name, parted by commas. Kept weights have seen every source, so nothing is held out beside them. */
function partsIn(list: string | undefined, holdOut: boolean): string[] {
	const named = list?.split(',') ?? NAMES
	const strange = named.find((name) => !NAMES.includes(name))
	if (strange !== undefined) throw new DataError(`--only knows ${NAMES.join(', ')}, not "${strange}".`)
	if (list && holdOut) throw new DataError('--hold-out trains all parts: leave --only out.')
	return named
}

if (import.meta.main) {
	const { values } = parseArgs({
		options: {
			data: { type: 'string', default: `${root}../shared/guard-data` },
			out: { type: 'string', default: `${weights}judge.bin` },
			only: { type: 'string' },
			'hold-out': { type: 'boolean', default: false },
			every: { type: 'string', default: '1' },
			lexicon: { type: 'string' },
			languages: { type: 'string' },
			meanings: { type: 'string' },
			valence: { type: 'string' },
			encoder: { type: 'string' },
		},
	})
	try {
		if (values.lexicon) saveWeights(`${weights}lexicon.bin`, buildLexicon(values.lexicon))
		else if (values.languages) saveWeights(`${weights}languages.bin`, buildLanguages(values.languages))
		else if (values.encoder)
			saveWeights(`${weights}encoder.bin`, buildEncoder(values.encoder, values.data, SCENES_DIR, console.log))
		else if (values.valence) saveWeights(`${weights}valence.bin`, buildValence(values.valence))
		else if (values.meanings)
			saveWeights(`${weights}meanings.bin`, buildMeanings(values.meanings, values.data))
		else {
			const only = partsIn(values.only, values['hold-out'])
			const shown = progress('train: parts done', only.length)
			const told = (part: string, done: number) => shown.at(done, part)
			train({
				data: values.data,
				out: values.out,
				only,
				holdOut: values['hold-out'],
				every: Number(values.every),
				log: console.log,
				told,
			})
			shown.at(only.length)
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
