import type { Command } from 'commander'
import { progress } from '../../../../.tools/progress.mjs'
import { built } from '../built.ts'
import { command, does } from '../command.ts'
import { CommandError, UsageError } from '../failure.ts'
import { watchInterrupts } from '../interrupt.ts'
import { table } from '../io.ts'

interface Figures {
	tool: string
	asked: number
	right: number
	median_ms: number
	input_tokens: number
	output_tokens: number
	dollars: number | null
}
interface Report {
	judge: string
	model: string | null
	tools: Figures[]
	total: Figures
	sure_and_wrong: { tool: string; asked: string; answer: string; expected: string; probability: number }[]
	calibration: { temperature: number; file: string } | null
}
/** As `judge-check.mjs`, built beside this program, gives it. */
interface JudgeCheck {
	checkJudgeOf(options: {
		env: NodeJS.ProcessEnv
		judge?: string | undefined
		calibrate?: boolean | undefined
		signal: AbortSignal
		told(done: number, total: number, tool: string): void
	}): Promise<Report>
}
interface Options {
	judge?: string
	calibrate?: boolean
	json?: boolean
}

export function judgeCommand(program: Command): void {
	const judge = program.command('judge').description('the model behind the guard, on the machine of a host')
	command(judge, 'check', 'ask a judge forty everyday questions: how right, quick and dear it is')
		.option('--judge <name>', 'builtin, openai, onnx or a chain of them; without: GUARD_JUDGE')
		.option('--calibrate', 'learn the temperature of the model at GUARD_JUDGE_URL and keep it in DATA_DIR')
		.action(
			does<Options>(async (io, { judge: name, calibrate, json }) => {
				if (calibrate && name !== undefined && name !== 'openai')
					throw new UsageError(`--calibrate is for the judge openai alone, not for ${name}`)
				const { checkJudgeOf } = await built<JudgeCheck>('judge-check.mjs')
				const ended = new AbortController()
				const interrupts = watchInterrupts()
				let shown: ReturnType<typeof progress> | undefined
				const told = (done: number, total: number, tool: string) => {
					if (json || !process.stderr.isTTY) return
					shown ??= progress('Questions', total)
					shown.at(done, tool)
				}
				try {
					const { signal } = ended
					const work = checkJudgeOf({ env: process.env, judge: name, calibrate, signal, told })
					const report = await interrupts.race(work)
					shown?.at(report.total.asked)
					shown?.end()
					io.result(report, () => written(report))
				} catch (error) {
					shown?.end()
					const known = ['ConfigError', 'Error', 'JudgeError']
					// Its reason is for the operator: a setting, a server that does not answer, a model that failed its test.
					if (error instanceof Error && known.includes(error.constructor.name))
						throw new CommandError(error.message)
					throw error
				} finally {
					ended.abort()
					interrupts.close()
				}
			}),
		)
}

function written({ judge, model, tools, total, sure_and_wrong, calibration }: Report): string {
	const head = ['TOOL', 'RIGHT', 'MEDIAN', 'TOKENS IN', 'TOKENS OUT', 'DOLLARS']
	const row = (one: Figures) => [
		one.tool,
		`${one.right} of ${one.asked}`,
		`${one.median_ms} ms`,
		String(one.input_tokens),
		String(one.output_tokens),
		one.dollars === null ? '–' : one.dollars.toFixed(5),
	]
	const wrong = sure_and_wrong.map(
		({ tool, asked, answer, expected, probability }) =>
			`  ${tool}: ${short(asked)}\n    ${short(answer)} (${probability.toFixed(2)}), right: ${short(expected)}`,
	)
	return [
		`Judge: ${judge}${model === null ? '' : ` (${model})`}`,
		'',
		table([head, ...tools.map(row), row(total)]),
		'',
		wrong.length ? `Over 0.9 and wrong: ${wrong.length}` : 'Nothing over 0.9 is wrong.',
		...wrong,
		...(calibration
			? [
					'',
					`Temperature ${calibration.temperature} is kept in ${calibration.file}. A host reads it at its next start.`,
				]
			: []),
	].join('\n')
}

const SHOWN_UNITS = 100

const short = (text: string): string =>
	text.length > SHOWN_UNITS ? `${text.slice(0, SHOWN_UNITS - 1)}…` : text
