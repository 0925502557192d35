/** What a warm run says on the pipes, counted instead of timed: between runtime and host, and between runtime and sandbox. */
import { expect, onTestFinished, test } from 'vitest'
import { calls, openSandboxes, runGuest, text } from '../../../kit/guests.ts'
import { startMcpServer } from '../../../kit/mcp-server.ts'
import { program, start } from './processes.ts'

const RUNS = 5
/** A run that takes longer is written down in between: runtime/process/engine/recorder.ts. */
const QUICK_MS = 200

// Proves: run.frames
test.each([
	['repeatable', ', tools: { "URL/echo": { idempotent: true } }', 1],
	['not repeatable', '', 3],
])('a tool that is %s: %s', async (_, settings, most) => {
	const mcp = await startMcpServer()
	onTestFinished(() => mcp.close())
	const connector = `{ connector: "${mcp.url}", scopes: [], auth: none, kind: connector, tools: [echo] }`
	const marked = settings.replace(', ', '\n').replace('URL', mcp.url)
	const scripts = { m: [{ calls: [{ name: 'echo', input: { text: 'a' } }] }, { text: 'done' }] }
	const yaml = `requires: [${connector}]${marked}\n`
	const egressAllow = [new URL(mcp.url).host]
	const { begin, host } = await start({ scripts, yaml, egressAllow, files: program('return ctx.loop()') })
	for (let n = 0, quick = 0; quick < RUNS; n++) {
		const [commits, notes, at] = [host.commits.length, host.notes.length, performance.now()]
		await begin({ run: `run_${n}` })
		if (n === 0 || performance.now() - at > QUICK_MS) continue
		quick++
		expect(host.commits.length - commits).toBeLessThanOrEqual(most)
		expect(host.notes.length).toBe(notes)
	}
})

// Proves: run.frames
test('the standard loop is one effect a call', async () => {
	const sandboxes = await openSandboxes()
	onTestFinished(() => sandboxes.close())
	const agent = { prompt: 'Help.' }
	const { sent } = await runGuest(sandboxes, { agent }, ({ n, method }) =>
		method !== 'model'
			? { ok: true, output: 'x' }
			: n === 1
				? calls({ id: 'c', name: 't', input: {} })
				: text('done'),
	)
	expect(sent.map(({ method }) => method)).toEqual(['model', 'tool.call', 'model'])
})
