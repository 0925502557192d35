/**
 * `berth judge check`, on the operator’s machine and with the settings of its host: how right, quick and dear a judge is
 * on forty everyday questions. A program of its own, loaded by the command.
 */
import {
	type Checked,
	calibrate,
	checkJudge,
	createJudge,
	QUESTION_COUNT,
	writeCalibration,
} from '../../connector/index.ts'
import { priceOf } from '../../runtime/prices/index.ts'
import { readConfig } from '../settings/config.ts'
import { judgeSettings } from './judge-settings.ts'

export interface CheckOptions {
	/** Environment of `berth serve`. */
	env: NodeJS.ProcessEnv
	/** In place of GUARD_JUDGE. */
	judge?: string | undefined
	/** Learn the temperature of the model at GUARD_JUDGE_URL, and keep it in DATA_DIR. */
	calibrate?: boolean | undefined
	signal: AbortSignal
	told(done: number, total: number, tool: string): void
}

export interface Figures {
	tool: string
	asked: number
	right: number
	/** Median of a call. */
	median_ms: number
	input_tokens: number
	output_tokens: number
	/** By list prices; null: the model or its server has no price here. */
	dollars: number | null
}

export interface CheckReport {
	judge: string
	model: string | null
	tools: Figures[]
	total: Figures
	/** Answers over 0.9 that are wrong. */
	sure_and_wrong: Pick<Checked, 'tool' | 'asked' | 'answer' | 'expected' | 'probability'>[]
	calibration: { temperature: number; file: string } | null
}

interface Tokens {
	input_tokens: number
	cached_input_tokens: number
	output_tokens: number
}

const SURE = 0.9

export async function checkJudgeOf(options: CheckOptions): Promise<CheckReport> {
	const { env, signal, told } = options
	const wanted = options.calibrate ? 'openai' : options.judge
	const config = readConfig({ ...env, ...(wanted ? { GUARD_JUDGE: wanted } : {}) })
	const settings = judgeSettings(config)
	const large = settings.backends.includes('openai')
	const spent = new Map<string, Tokens>()
	let now = ''
	const judge = await createJudge({
		...settings,
		...(options.calibrate ? { temperature: 1 } : {}),
		used: (used) => spent.set(now, sum(spent.get(now), used)),
	})
	try {
		const asked = await checkJudge(judge, signal, (done, tool) => {
			now = tool
			told(done, QUESTION_COUNT, tool)
		})
		const learned = options.calibrate ? calibrate(asked) : null
		if (learned) {
			const { temperature } = learned
			const at = new Date().toISOString()
			const { GUARD_JUDGE_URL: url, GUARD_JUDGE_MODEL: model } = config
			writeCalibration(settings.calibration, url, model, { temperature, questions: asked.length, at })
		}
		const checked = learned?.checked ?? asked
		const priced = priceAt(config)
		const tools = [...new Set(checked.map(({ tool }) => tool))].map((tool) =>
			figures(
				tool,
				checked.filter((one) => one.tool === tool),
				spent.get(tool),
				priced,
			),
		)
		return {
			judge: settings.backends.join(','),
			model: large ? config.GUARD_JUDGE_MODEL : null,
			tools,
			total: figures('all', checked, totalOf(spent, tools), priced),
			sure_and_wrong: checked
				.filter(({ right, probability }) => !right && probability > SURE)
				.map(({ tool, asked, answer, expected, probability }) => ({
					tool,
					asked,
					answer,
					expected,
					probability,
				})),
			calibration: learned && { temperature: learned.temperature, file: settings.calibration },
		}
	} finally {
		await judge.close()
	}
}

const NONE: Tokens = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0 }

const sum = (a: Tokens = NONE, b: Tokens): Tokens => ({
	input_tokens: a.input_tokens + b.input_tokens,
	cached_input_tokens: a.cached_input_tokens + b.cached_input_tokens,
	output_tokens: a.output_tokens + b.output_tokens,
})

/** Without those of the start-up test. */
const totalOf = (spent: ReadonlyMap<string, Tokens>, tools: readonly Figures[]): Tokens =>
	tools.reduce((all, { tool }) => sum(all, spent.get(tool) ?? NONE), NONE)

/** The price list is that of OpenAI’s own address; what another server costs is not known here. */
function priceAt({
	GUARD_JUDGE_URL: url,
	GUARD_JUDGE_MODEL: model,
}: {
	GUARD_JUDGE_URL: string
	GUARD_JUDGE_MODEL: string
}) {
	const official = URL.canParse(url) && new URL(url).hostname === 'api.openai.com'
	return (tokens: Tokens) => (official ? priceOf('openai', model, tokens) : null)
}

function figures(
	tool: string,
	checked: readonly Checked[],
	tokens: Tokens = NONE,
	priced: (tokens: Tokens) => number | null,
): Figures {
	const times = checked.map(({ ms }) => ms).sort((a, b) => a - b)
	const { input_tokens, output_tokens } = tokens
	return {
		tool,
		asked: checked.length,
		right: checked.filter(({ right }) => right).length,
		median_ms: Math.round(times[times.length >> 1] ?? 0),
		input_tokens,
		output_tokens,
		dollars: input_tokens ? priced(tokens) : null,
	}
}
