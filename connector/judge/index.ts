/** What answers the guard's questions: one backend, or a chain in which the next is asked where the one before is unsure. */
import type { PoolSettings } from './builtin/pool.ts'
import { chainJudges, type Link, type Sure } from './chain.ts'
import { checkWeights } from './learned/arrays.ts'
import { WEIGHTS, weightsFile } from './learned/files.ts'
import type { Used } from './openai/client.ts'
import type { Judge } from './types.ts'

export { type ClaimVerdict, type Judge, type Judged, JudgeError, type ScreenResult } from './types.ts'

export interface JudgeSettings extends PoolSettings {
	/** In the order they are asked: `builtin`, `openai`, `onnx`. */
	backends: readonly string[]
	/** `openai`: base address of the server, model and key. */
	url?: string
	model?: string
	key?: string
	/** `onnx`: folder of the operator's models. */
	dir?: string
	/** `openai`: requests in flight at most. */
	concurrency?: number
	/** `openai`: file of temperatures that `berth judge check --calibrate` learned. */
	calibration?: string
	/** `openai`: in place of a learned temperature. */
	temperature?: number
	/** `openai`: bounds on one guard call, in milliseconds and in input tokens. */
	callMs?: number
	callTokens?: number
	/** `openai`: told what each request took. */
	used?(used: Used): void
}

export const BACKENDS = ['builtin', 'openai', 'onnx']

/** Bound on the start of a backend, its self-test included. */
const START_TIMEOUT_MS = 120_000
/** For a link without thresholds of its own. */
const SURE: Sure = { verify: 0.8, screen: 0.9, find: 0.2, noul: 0.8, choice: 0.7, score: 0.6 }

/** Throws where a backend is unknown, lacks a setting, or fails its start-up test. */
export async function createJudge(settings: JudgeSettings): Promise<Judge> {
	const names = settings.backends
	const unknown = names.find((name) => !BACKENDS.includes(name))
	if (unknown !== undefined)
		throw new Error(`Unknown judge "${unknown}": choose from ${BACKENDS.join(', ')}.`)
	if (!names.length || new Set(names).size < names.length)
		throw new Error('Name at least one judge, and none twice.')
	if (names.length === 1 && names[0] === 'builtin') return builtinWhenAsked(settings)
	const links: Link[] = []
	try {
		for (const name of names) links.push(await open(name, settings))
	} catch (error) {
		await Promise.all(links.map(({ judge }) => judge.close()))
		throw error
	}
	return chainJudges(links)
}

/** What a host does not use it does not load. */
async function open(name: string, settings: JudgeSettings): Promise<Link> {
	if (name === 'openai') {
		const { url, model } = settings
		if (!url || !model) throw new Error('The judge `openai` needs GUARD_JUDGE_URL and GUARD_JUDGE_MODEL.')
		const { openaiJudge } = await import('./openai/index.ts')
		return {
			judge: await openaiJudge({ ...settings, url, model }, AbortSignal.timeout(START_TIMEOUT_MS)),
			sure: SURE,
		}
	}
	if (name === 'onnx') {
		if (!settings.dir) throw new Error('The judge `onnx` needs GUARD_JUDGE_DIR.')
		const { onnxJudge } = await import('./onnx/index.ts')
		return { judge: await onnxJudge({ ...settings, dir: settings.dir }), sure: SURE }
	}
	checkBuiltin(settings)
	const { builtinJudge } = await import('./builtin/index.ts')
	const judge = builtinJudge(settings)
	return { judge, sure: judge.sure }
}

/** Before they are loaded: damaged weights would end the import of the judge's modules, or the first question. */
function checkBuiltin({ weights }: JudgeSettings): void {
	for (const name of WEIGHTS) checkWeights(name === 'judge.bin' && weights ? weights : weightsFile(name))
}

/** The heads of its weights are checked now; they are loaded with the first question: a tenth of a host's start. */
function builtinWhenAsked(settings: JudgeSettings): Judge {
	checkBuiltin(settings)
	let loading: Promise<Judge> | undefined
	const judge = () => {
		loading ??= import('./builtin/index.ts').then(({ builtinJudge }) => builtinJudge(settings))
		return loading
	}
	return {
		verify: async (...call) => (await judge()).verify(...call),
		screen: async (...call) => (await judge()).screen(...call),
		find: async (...call) => (await judge()).find(...call),
		noul: async (...call) => (await judge()).noul(...call),
		choice: async (...call) => (await judge()).choice(...call),
		score: async (...call) => (await judge()).score(...call),
		close: async () => (await loading)?.close(),
	}
}
