/**
 * A judge behind any OpenAI-compatible server (OpenAI, vLLM, llama.cpp, Ollama). Probabilities come from the letters’
 * log-probabilities, or where the server gives none from what the model states. It is tried once at the start and refuses
 * to start where it could not answer.
 */
import { type Judge, JudgeError } from '../types.ts'
import { askAll } from './ask.ts'
import { DEFAULT_TEMPERATURE, readCalibration, sharpened } from './calibration.ts'
import { openServer, type Server, type ServerSettings } from './client.ts'
import { type Asking, choice, find, noul, score, screen, verify } from './tools.ts'

export interface OpenAiSettings extends ServerSettings {
	/** File of learned temperatures. */
	calibration?: string
	/** In place of a learned one. */
	temperature?: number
	/** Bound on a guard call, in milliseconds. */
	callMs?: number
	/** Bound on the input tokens of a guard call, counted as a third of the bytes sent. */
	callTokens?: number
}

const CALL_MS = 25_000
const CALL_TOKENS = 100_000
const BYTES_PER_TOKEN = 3

export async function openaiJudge(settings: OpenAiSettings, signal: AbortSignal): Promise<Judge> {
	const { url, model, calibration } = settings
	const learned = settings.temperature ?? readCalibration(calibration, url, model)?.temperature
	const temperature = learned ?? DEFAULT_TEMPERATURE
	const server = await openServer(settings)
	await selfTest(settings, server, signal)
	const kind = learned === undefined ? 'default' : `t${temperature.toFixed(2)}`
	const judge = { backend: 'openai', calibration: `openai-${kind}:${model}` }
	const call = <T>(stop: AbortSignal, run: (call: Asking) => Promise<T>) =>
		bounded(settings, stop, (bounds) =>
			run({ server, ...bounds, calibrated: (shares) => sharpened(shares, temperature) }),
		)
	return {
		verify: async (asked, stop) => ({
			results: await call(stop, (one) => verify(one, asked)),
			basis: 'evidence',
			judge,
		}),
		screen: async (asked, stop) => ({
			...(await call(stop, (one) => screen(one, asked))),
			basis: 'text',
			judge,
		}),
		find: async (asked, stop) => ({
			scores: await call(stop, (one) => find(one, asked)),
			basis: 'text',
			judge,
		}),
		noul: async (asked, stop) => ({
			probabilities: await call(stop, (one) => noul(one, asked)),
			basis: 'text',
			judge,
		}),
		choice: async (asked, stop) => ({
			probabilities: await call(stop, (one) => choice(one, asked)),
			basis: 'text',
			judge,
		}),
		score: async (asked, stop) => ({
			probabilities: await call(stop, (one) => score(one, asked)),
			basis: 'text',
			judge,
		}),
		async close() {},
	}
}

/** One guard call within its time and its tokens. Whatever it has under way ends with it. */
async function bounded<T>(
	{ callMs = CALL_MS, callTokens = CALL_TOKENS }: OpenAiSettings,
	stop: AbortSignal,
	run: (bounds: Pick<Asking, 'signal' | 'spend'>) => Promise<T>,
): Promise<T> {
	const ended = new AbortController()
	const late = new JudgeError('unavailable', `The judge took over ${callMs / 1_000} s (GUARD_JUDGE_SECONDS).`)
	const timer = setTimeout(() => ended.abort(late), callMs)
	let left = callTokens * BYTES_PER_TOKEN
	const spend = (bytes: number) => {
		left -= bytes
		if (left < 0)
			throw new JudgeError(
				'unavailable',
				`The call would send its judge over ${callTokens} tokens (GUARD_JUDGE_TOKENS).`,
			)
	}
	try {
		return await run({ signal: AbortSignal.any([stop, ended.signal]), spend })
	} finally {
		clearTimeout(timer)
		ended.abort(late)
	}
}

async function selfTest({ model, url }: OpenAiSettings, server: Server, signal: AbortSignal) {
	try {
		const [right, wrong] = await askAll(
			{ server, signal, spend() {} },
			{
				material: 'Snow is white.',
				lines: [],
				task: 'Answer each item about the material.',
				items: ['Does the material say that snow is white?', 'Does the material say that snow is black?'],
				alternatives: ['Yes.', 'No.'],
			},
		)
		const [yes, no] = [right!.shares[0]!, wrong!.shares[0]!]
		if (yes <= no)
			throw new Error(`it said ${yes.toFixed(2)} to what is so and ${no.toFixed(2)} to what is not.`)
	} catch (error) {
		throw new Error(
			`The judge \`openai\` (${model} at ${url}) failed its start-up test: ${(error as Error).message}`,
			{ cause: error },
		)
	}
}
