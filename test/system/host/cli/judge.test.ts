// `berth judge check`: forty questions to a judge, on the operator's machine and with the settings of its host.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { QUESTIONS } from '../../../../connector/judge/check/questions.ts'
import { createJudge } from '../../../../connector/judge/index.ts'
import { berth, temporary } from '../../../kit/berth.ts'
import { type JudgeServer, type Question, startJudgeServer } from '../../../kit/judge-server.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
	await Promise.all(open.splice(0).map((one) => one.close()))
})

const WRONG = 'The lift has been repaired.'
const VERDICTS = ['verified', 'contradicted', 'unsupported']

/** Knows every answer at 0.8 but one, which it has wrong at 0.99. */
function knows({ material, query, item, alternatives }: Question): number[] {
	const said = (right: number) =>
		alternatives.map((_, i) => (i === right ? 0.8 : 0.2 / (alternatives.length - 1)))
	if (item === WRONG) return [0.99, 0.005, 0.005]
	for (const question of QUESTIONS) {
		if (question.tool === 'verify' && item === question.claims[0])
			return said(VERDICTS.indexOf(question.right))
		if (question.tool === 'screen' && material.includes(question.text.slice(0, 20)))
			return said(question.right ? 0 : 1)
		if (question.tool === 'find' && query === question.query)
			return said(item === question.candidates[question.right] ? 0 : 1)
		if (question.tool === 'noul' && item === question.propositions[0]) return said(question.right ? 0 : 1)
		const names =
			question.tool === 'choice' ? question.options : question.tool === 'score' ? question.levels : []
		if (names.length && 'context' in question && material === question.context)
			return said(alternatives.indexOf(names[Number(question.right)]!))
	}
	return item.includes('black') ? [0.1, 0.9] : [0.9, 0.1]
}

async function setUp(): Promise<{ env: Record<string, string>; server: JudgeServer; dir: string }> {
	const server = await startJudgeServer({ dialect: 'vllm', think: knows })
	open.push(server)
	const dir = await temporary()
	const env = {
		DATA_DIR: dir,
		GUARD_JUDGE: 'builtin,openai',
		GUARD_JUDGE_URL: server.url,
		GUARD_JUDGE_MODEL: 'm',
	}
	return { env, server, dir }
}

// Proves: judge.check
test('berth judge check tells how right a judge is by tool, what it took, and what was sure and wrong', async () => {
	const { env, server } = await setUp()
	const { code, stdout } = await berth(['judge', 'check', '--judge', 'openai', '--json'], { env })
	expect(code).toBe(0)
	const report = JSON.parse(stdout)
	expect(report.total).toMatchObject({ asked: 40, right: 39, dollars: null })
	expect(report.tools.map(({ tool, asked }: { tool: string; asked: number }) => [tool, asked])).toEqual([
		['verify', 8],
		['screen', 7],
		['find', 6],
		['noul', 7],
		['choice', 6],
		['score', 6],
	])
	const sent = server.seen.slice(1).reduce((sum, { prompt }) => sum + (prompt.length >> 2), 0)
	expect(report.total.input_tokens).toBe(sent)
	// Without a learned temperature 0.99 is not sure.
	expect(report.sure_and_wrong).toEqual([])
	const people = await berth(['judge', 'check', '--judge', 'builtin'], { env })
	expect(people.stdout).toMatch(/^Judge: builtin\n\nTOOL +RIGHT +MEDIAN/)
	expect(people.stdout).toMatch(/\nall +\d+ of 40 /)
	expect(people.stderr).toBe('')
})

// Proves: judge.check, judge.openai-calibration
test('berth judge check --calibrate keeps a temperature of the model, which its hosts then use', async () => {
	const { env, dir, server } = await setUp()
	const { code, stdout } = await berth(['judge', 'check', '--calibrate', '--json'], { env })
	expect(code).toBe(0)
	const { calibration, sure_and_wrong, judge } = JSON.parse(stdout)
	expect(judge).toBe('openai')
	expect(calibration.file).toBe(join(dir, 'judge-calibration.json'))
	// Right 39 times of 40 at 0.8, so it may be taken at its word; surer than that a judge is never made.
	expect(calibration.temperature).toBe(1)
	expect(sure_and_wrong).toMatchObject([
		{ tool: 'verify', asked: WRONG, answer: 'verified', expected: 'unsupported' },
	])
	const kept = JSON.parse(readFileSync(calibration.file, 'utf8'))
	expect(kept).toEqual({
		[`m at ${server.url}`]: { temperature: calibration.temperature, questions: 40, at: expect.any(String) },
	})
	const of = async (model: string) => {
		const made = await createJudge({
			backends: ['openai'],
			url: server.url,
			model,
			calibration: calibration.file,
		})
		open.push(made)
		return (await made.noul({ propositions: ['x'] }, new AbortController().signal)).judge.calibration
	}
	expect(await of('m')).toBe(`openai-t${calibration.temperature.toFixed(2)}:m`)
	expect(await of('other')).toBe('openai-default:other')
})

// Proves: judge.check
test('berth judge check ends with 1 when the judge cannot be reached, and with 2 on wrong usage', async () => {
	const { env } = await setUp()
	const away = await berth(['judge', 'check', '--judge', 'openai'], {
		env: { ...env, GUARD_JUDGE_URL: 'http://127.0.0.1:9' },
	})
	expect(away.code).toBe(1)
	expect(away.stderr).toContain('m at http://127.0.0.1:9) failed its start-up test')
	const wrong = await berth(['judge', 'check', '--judge', 'builtin', '--calibrate'], { env })
	expect(wrong.code).toBe(2)
})
