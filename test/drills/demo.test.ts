import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { descendants } from '../kit/host.ts'
import { startModelServer } from '../kit/model-server.ts'

// `npm run demo`: everything it claims is checked by itself; here, that it says so honestly and leaves nothing behind.

function demo(
	args: string[],
	env: Record<string, string> = {},
): { child: ChildProcess; output: () => string } {
	const child = spawn(process.execPath, ['dist/demo.mjs', ...args], {
		env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
		stdio: ['ignore', 'pipe', 'pipe'],
	})
	onTestFinished(() => void child.kill('SIGTERM'))
	let text = ''
	for (const stream of [child.stdout, child.stderr]) {
		stream.setEncoding('utf8').on('data', (chunk: string) => {
			text += chunk
		})
	}
	return { child, output: () => text }
}

/** Still there, and no zombie that nobody has collected yet; with its name, for the failure. */
function alive(pid: number): string[] {
	try {
		const [, state] = /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
		return state === 'Z' ? [] : [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')]
	} catch {
		return []
	}
}

describe('npm run demo', () => {
	// Proves: cli.demo
	it('says that the model is a script, stays up with a request that works, and Ctrl-C leaves no process and no file', async () => {
		const { child, output } = demo([])
		await expect.poll(output, { timeout: 110_000 }).toMatch(/Ctrl-C ends it|demo: /)
		expect(output()).toMatch(/the model is a SCRIPT on loopback/)
		expect(output()).toMatch(/\n(\d+) of \1 checks held\./)
		const [, url = '', key = '', body = ''] =
			/curl -X POST '([^']+)'[\s\S]*?Bearer (brk_\w+)'[\s\S]*?-d '([^']+)'/.exec(output()) ?? []
		const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
		const answer = await fetch(url, { method: 'POST', headers, body })
		expect(await answer.json()).toMatchObject({ status: 'succeeded', output: { decision: 'question' } })
		const processes = descendants(child.pid as number)
		expect(processes.length).toBeGreaterThan(4)
		child.kill('SIGINT')
		const [code] = await once(child, 'exit')
		expect(code).toBe(0)
		expect(processes.flatMap(alive)).toEqual([])
		const folder = /DATA_DIR=(\S+)\/data/.exec(output())?.[1] ?? '/'
		expect(existsSync(folder)).toBe(false)
	})

	// Proves: cli.demo
	it('uses the server at OPENAI_BASE_URL, and --once ends with 0 when all of it held', async () => {
		const lines = [
			{ date: '2026-03-03', merchant: 'Wine Shop', category: 'gift', amount: '68 USD', receipt: true },
		]
		const gift = { line: 1, rule: 'gift', reason: 'over the limit' }
		const output = { decision: 'refuse', total: '62.56 EUR', findings: [gift], letter: 'No.' }
		const verify = { claims: ['The bridge was opened in 1998.'], evidence: 'The bridge was opened in 1998.' }
		const report = { publish: true, claims: [] }
		const audit = [
			{ calls: [{ name: 'audit_report', input: { lines } }] },
			{ text: JSON.stringify(output) },
		] as const
		const check = [
			{ calls: [{ name: 'guard_verify', input: verify }] },
			{ text: JSON.stringify(report) },
		] as const
		const model = await startModelServer({
			local: ({ body, turn }) =>
				(JSON.stringify(body.tools).includes('guard_verify') ? check : audit)[Math.min(turn, 1)] ?? {},
		})
		onTestFinished(model.close)
		const once_ = demo(['--once'], { OPENAI_BASE_URL: model.openaiUrl })
		const [code] = await once(once_.child, 'exit')
		expect(once_.output()).toContain('The model is local of the server at')
		expect({ code, tail: once_.output().slice(-2000) }).toMatchObject({ code: 0 })
		expect(model.requests).toHaveLength(4)
	})

	// Proves: cli.demo
	it('ends with 1 and says what did not hold where the model does otherwise', async () => {
		const output = { decision: 'approve', total: '1.00 EUR', findings: [], letter: 'Fine.' }
		const model = await startModelServer({ local: { text: JSON.stringify(output) } })
		onTestFinished(model.close)
		const { child, output: text } = demo(['--once'], { OPENAI_BASE_URL: model.openaiUrl })
		const [code] = await once(child, 'exit')
		expect(code).toBe(1)
		expect(text()).toContain('✗ so the report is refused')
	})
})
