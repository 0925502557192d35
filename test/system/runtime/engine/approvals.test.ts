import { expect, test } from 'vitest'
import type { Entry } from '../../../../runtime/wire/journal.ts'
import { until } from '../../../kit/agent.ts'
import { CONNECTOR, FakeHost, type Program, withTools, world } from '../../../kit/engine/fakes.ts'

// Approvals: asked once, decided outside, and nothing is held meanwhile.

const yaml = withTools('pay', `tools: { "${CONNECTOR}/pay": { approval: required } }\n`)
const tools = [{ name: 'pay' }]
const program: Program = async (guest) => {
	const sure = (await guest.effect('approve', { question: 'Sure?', data: { n: 1 } })) as { approved: boolean }
	const paid = (await guest.effect('tool.call', { name: 'pay', input: { q: 'x' } })) as { output: string }
	return `${sure.approved} ${paid.output}`
}
const parked = (host: FakeHost, times: number) =>
	until(async () => host.journal.filter(({ type }) => type === 'run.waiting').length === times)
const requests = (journal: Entry[]) => journal.filter(({ type }) => type === 'approval.requested')

// Proves: approval.other-host
test('a run that waits holds nothing, and goes on by its journal once somebody has decided', async () => {
	const host = new FakeHost()
	const first = world({ program, yaml, tools, host })
	void first.begin()
	await parked(host, 1)
	await until(async () => first.engine.runs() === 0)
	const [asked] = requests(host.journal)
	expect(asked?.data).toMatchObject({ question: 'Sure?', arguments: { question: 'Sure?', data: { n: 1 } } })
	host.decisions.set(String(asked?.data.id), { approved: false, note: 'no' })

	void world({ program, yaml, tools, host }).begin({ epoch: 2, journal: host.journal })
	await parked(host, 2)
	const [, call] = requests(host.journal)
	expect(call?.data).toMatchObject({ tool: 'pay', connector: CONNECTOR, arguments: { q: 'x' } })
	host.decisions.set(String(call?.data.id), { approved: true, note: null })

	const third = world({ program, yaml, tools, host })
	const { outcome, entries, usage } = await third.begin({ epoch: 3, journal: host.journal })
	expect(outcome).toEqual({ status: 'succeeded', output: JSON.stringify('false pay says {"q":"x"}') })
	expect(third.connectors.calls).toEqual([{ tool: 'pay', input: { q: 'x' } }])
	expect(first.connectors.calls).toEqual([])
	expect(usage.tool_calls).toBe(1)
	const decided = entries.filter(({ type }) => type === 'approval.decided')
	expect(decided.map(({ data }) => data.decision)).toEqual(['deny', 'approve'])
})

test('a decision that comes while the run is at work on something else is heard at once', async () => {
	const host = new FakeHost()
	const { begin, engine, connectors } = world({
		host,
		yaml: withTools('pay, slow', `tools: { "${CONNECTOR}/pay": { approval: required } }\n`),
		tools: [...tools, { name: 'slow' }],
		program: async (guest) => {
			await Promise.all(
				['pay', 'slow'].map((name) => guest.effect('tool.call', { name, input: { q: name } })),
			)
			return 'both'
		},
	})
	const slow = Promise.withResolvers<{ ok: true; output: string }>()
	connectors.reply = (tool) => (tool === 'slow' ? slow.promise : { ok: true, output: 'paid' })
	const end = begin()
	await until(async () => requests(host.journal).length === 1)
	host.decisions.set(String(requests(host.journal)[0]?.data.id), { approved: true, note: null })
	engine.decided('run_1')
	await until(async () => connectors.calls.length === 2)
	slow.resolve({ ok: true, output: 'at last' })
	expect((await end).outcome).toMatchObject({ status: 'succeeded' })
	expect(host.journal.some(({ type }) => type === 'run.waiting')).toBe(false)
})

// Proves: approval.denied
test('a call that is denied ends the run, and is never made', async () => {
	const host = new FakeHost()
	const deny: Program = async (guest) => guest.effect('tool.call', { name: 'pay', input: {} })
	void world({ program: deny, yaml, tools, host }).begin()
	await parked(host, 1)
	host.decisions.set(String(requests(host.journal)[0]?.data.id), { approved: false, note: 'too much' })
	const again = world({ program: deny, yaml, tools, host })
	const { outcome } = await again.begin({ epoch: 2, journal: host.journal })
	expect(outcome).toEqual({
		status: 'failed',
		error: { code: 'approval_denied', message: 'The call of pay was not approved: too much' },
	})
	expect(again.connectors.calls).toEqual([])
})

// Proves: approval.bounded
test('a run that asks without end is ended', async () => {
	const endless: Program = async (guest) => {
		for (let n = 0; n <= 100; n++) void guest.effect('approve', { question: `${n}` }).catch(() => undefined)
		return new Promise<string>(() => undefined)
	}
	const { outcome } = await world({ program: endless }).begin()
	expect(outcome).toMatchObject({ error: { code: 'step_limit_reached' } })
})
