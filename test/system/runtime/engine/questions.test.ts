import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { ToolReply } from '../../../../runtime/process/connectors/index.ts'
import type { Entry } from '../../../../runtime/wire/journal.ts'
import { until } from '../../../kit/agent.ts'
import { CONNECTOR, FakeHost, type Program, withTools, world } from '../../../kit/engine/fakes.ts'

// Questions of connectors, at every moment at which a host may be lost: what is known is told, and nothing is done twice.

/** Several of the engine's looks at a run. */
const TICKS_MS = 300
const tools = [{ name: 'book' }]
const yaml = withTools('book')
const program: Program = async (guest) =>
	JSON.stringify(await guest.effect('tool.call', { name: 'book', input: { q: 'x' } }))
const failed = { ok: false as const, output: 'it asks' }
const asks = (state?: string): ToolReply => ({
	...failed,
	asks: {
		questions: [
			{ key: 'a', message: 'Where?', schema: { type: 'object', properties: {} } },
			{ key: 'b', message: 'When?', url: 'https://example.com/' },
		],
		...(state && { state }),
	},
})
const never = () => new Promise<ToolReply>(() => undefined)
const requests = (journal: Entry[]) => journal.filter(({ type }) => type === 'approval.requested')
const parked = (host: FakeHost, times = 1) =>
	until(async () => host.journal.filter(({ type }) => type === 'run.waiting').length === times)
const approve = (host: FakeHost, at: number, content: Record<string, unknown> | null = null) => {
	const id = String(requests(host.journal)[at]?.data.id)
	host.decisions.set(id, { approved: true, note: null, content })
}
const outputOf = (outcome: object) => JSON.parse(JSON.parse((outcome as { output: string }).output))

test('questions of one call are asked together, each once, and the call goes on with their answers and its state', async () => {
	const host = new FakeHost()
	const first = world({ program, yaml, tools, host })
	first.connectors.reply = () => asks('the state')
	void first.begin()
	await parked(host)
	const asked = requests(host.journal)
	expect(asked.map(({ data }) => data)).toMatchObject([
		{ kind: 'question', question: 'Where?', tool: 'book', connector: CONNECTOR },
		{ kind: 'question', question: 'When?', arguments: { message: 'When?', url: 'https://example.com/' } },
	])
	expect(JSON.stringify(asked.map(({ data }) => data))).not.toContain('the state')

	approve(host, 0, { city: 'Rome' })
	const second = world({ program, yaml, tools, host })
	void second.begin({ epoch: 2, journal: host.journal })
	await parked(host, 2)
	expect(second.connectors.calls).toEqual([])

	approve(host, 1)
	const third = world({ program, yaml, tools, host })
	third.connectors.reply = (_tool, _input, _signal, { resumed }) => ({
		ok: true,
		output: JSON.stringify(resumed),
	})
	const { outcome, usage } = await third.begin({ epoch: 3, journal: host.journal })
	const answers = [
		{ key: 'a', action: 'accept', content: { city: 'Rome' } },
		{ key: 'b', action: 'accept' },
	]
	expect(JSON.parse(outputOf(outcome).output)).toEqual({ answers, state: 'the state' })
	expect(requests(host.journal)).toHaveLength(2)
	expect(usage.tool_calls).toBe(2)
})

test('a call that went on with answers and was cut off is not made again', async () => {
	const host = new FakeHost()
	const first = world({ program, yaml, tools, host })
	first.connectors.reply = () => asks()
	void first.begin()
	await parked(host)
	approve(host, 0)
	approve(host, 1)
	const second = world({ program, yaml, tools, host })
	second.connectors.reply = never
	void second.begin({ epoch: 2, journal: host.journal })
	await until(async () => second.connectors.calls.length === 1)
	const third = world({ program, yaml, tools, host })
	const { outcome } = await third.begin({ epoch: 3, journal: host.journal })
	expect(outcome).toMatchObject({ status: 'failed', error: { code: 'outcome_unknown' } })
	expect(third.connectors.calls).toEqual([])
})

/** An older connector: asks while its call is open, and is then cut off. */
async function openCall(host: FakeHost) {
	const first = world({ program, yaml, tools, host })
	const told: unknown[] = []
	first.connectors.reply = async (_tool, _input, signal, { ask }) => {
		told.push(await ask?.({ message: 'Where?', schema: { type: 'object' } }, signal))
		return never()
	}
	void first.begin()
	await parked(host)
	return { first, told }
}

test('an open call that was cut off before anybody answered is a failed result', async () => {
	const host = new FakeHost()
	await openCall(host)
	expect(host.journal.at(-1)?.data).toMatchObject({ held: true })
	const { outcome, usage } = await world({ program, yaml, tools, host }).begin({
		epoch: 2,
		journal: host.journal,
	})
	expect(outputOf(outcome)).toEqual({ ok: false, output: expect.stringMatching(/before anybody answered/) })
	expect(usage).toMatchObject({ tool_calls: 1, failed_tool_calls: 1 })
})

test('an open call that was answered and cut off then is unknown', async () => {
	const host = new FakeHost()
	const { first, told } = await openCall(host)
	approve(host, 0, { city: 'Rome' })
	first.engine.decided('run_1')
	await until(async () => told.length === 1)
	expect(told).toEqual([{ action: 'accept', content: { city: 'Rome' } }])
	const { outcome } = await world({ program, yaml, tools, host }).begin({ epoch: 2, journal: host.journal })
	expect(outcome).toMatchObject({ error: { code: 'outcome_unknown' } })
})

test('while a call stays open for an answer, the time of the run stands still', async () => {
	let skipped = 0
	const host = new FakeHost()
	const services = { now: () => performance.now() + skipped }
	const { begin, engine, connectors } = world({ program, yaml, tools, host, services })
	connectors.reply = async (_tool, _input, signal, { ask }) => {
		const { action } = (await ask?.({ message: 'Where?' }, signal)) ?? {}
		return { ok: true, output: String(action) }
	}
	const end = begin()
	await parked(host)
	// Far over limits.seconds.
	skipped = 3_600_000
	await sleep(TICKS_MS)
	approve(host, 0)
	engine.decided('run_1')
	expect(outputOf((await end).outcome)).toEqual({ ok: true, output: 'accept' })
})

test('a connector that asks without end ends the run', async () => {
	const endless = world({ program, yaml, tools })
	endless.connectors.reply = async (_tool, _input, signal, { ask }) => {
		while (!signal.aborted) await ask?.({ message: 'Where?' }, signal)
		return failed
	}
	const deciding = setInterval(() => {
		requests(endless.host.journal).forEach((_, at) => {
			approve(endless.host, at)
		})
		endless.engine.decided('run_1')
	}, 1)
	const { outcome } = await endless.begin().finally(() => clearInterval(deciding))
	expect(outcome).toMatchObject({ error: { code: 'step_limit_reached' } })
})
