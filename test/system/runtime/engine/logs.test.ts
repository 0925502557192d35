import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Entry } from '../../../../runtime/wire/journal.ts'
import type { RunEnd } from '../../../kit/engine/fakes.ts'
import { program, type Started, start } from './processes.ts'

// All that a program wrote before its end is in its events, however soon it ends and whatever ends it.

const RUNS = 50

const lines = (entries: Entry[]) =>
	entries.filter(({ type }) => type === 'log').map(({ data }) => String(data.message))

const agent = program(`
	const write = (n) => { for (let i = 1; i <= n; i++) ctx.log('info', 'line ' + i) }
	if (inputs.how === 'return') { ctx.log('info', 'one'); console.error('two'); return 'ok' }
	if (inputs.how === 'throw') { ctx.log('info', 'one'); console.error('two'); throw new Error('three') }
	if (inputs.how === 'full') { write(1000); return 'ok' }
	if (inputs.how === 'over') { write(1057); return 'ok' }
	if (inputs.how === 'after') { ctx.log('info', 'one'); await ctx.model('hi'); console.error('two'); return 'ok' }
	if (inputs.how === 'time') { write(1057); await ctx.model('hi') }
	if (inputs.how === 'wide') { ctx.log('info', '\\u0001'.repeat(9000), '"'.repeat(20000)); return 'ok' }
	if (inputs.how === 'much') { for (let i = 0; i < 900; i++) ctx.log('info', 'x'.repeat(8000), 'y'.repeat(16000)); return 'ok' }
	if (inputs.how === 'loose') { ctx.log('alone'); ctx.log('shout', 'loud', 1); console.group('a', 1); console.count(); console.count(); console.time('t'); await ctx.memory.list(); console.timeEnd('t'); return 'ok' }
`)

/** As hosts do: the sandbox has long begun, or not yet, when the run is let go. */
async function endings({ begin }: Started, how: string, count: number) {
	return Promise.all(
		Array.from({ length: count }, (_, i) =>
			begin({ run: `run_${how}_${i}`, inputs: JSON.stringify({ how }) }, sleep(i * 5)),
		),
	)
}

// Proves: event.logs-kept
test(`a program that writes and then ends keeps its lines, ${RUNS} times of ${RUNS}, whatever ends it`, async () => {
	const started = await start({ scripts: { m: { text: 'hello' } }, files: agent })
	for (const [how, status] of [
		['return', 'succeeded'],
		['throw', 'failed'],
		['after', 'succeeded'],
	] as const) {
		for (const { entries, outcome } of await endings(started, how, RUNS)) {
			expect([outcome.status, lines(entries)]).toEqual([status, ['one', 'two']])
			// A bundle without source maps shows the script's own places.
			if (how === 'throw') expect(entries.at(-1)?.data.stack).toMatch(/^Error: three\n.* agent\.js:\d+:\d+$/)
		}
	}
	for (const { entries } of await endings(started, 'full', RUNS)) {
		expect(lines(entries)).toEqual(Array.from({ length: 1000 }, (_, i) => `line ${i + 1}`))
	}
	for (const { entries } of await endings(started, 'over', RUNS)) {
		expect(lines(entries)).toHaveLength(1001)
		expect(entries.at(-2)?.data).toEqual({
			level: 'warn',
			message: '57 more lines were not kept.',
			not_kept: 57,
		})
	}
})

// Proves: event.logs-kept
test('a run that runs out of time keeps what it wrote before', async () => {
	const started = await start({
		scripts: { m: { fault: 'silence' } },
		yaml: 'limits: { seconds: 1 }\n',
		files: agent,
	})
	const [run] = await endings(started, 'time', 1)
	expect(run?.outcome).toMatchObject({ error: { code: 'time_limit_reached' } })
	expect(lines(run?.entries ?? [])).toHaveLength(1001)
	expect(lines(run?.entries ?? []).at(-1)).toBe('57 more lines were not kept.')
})

// Proves: event.logs-harmless
test('a log line never ends a run: too long, too many at once, or of a level there is not', async () => {
	const started = await start({ files: agent })
	const end = async (how: string) => (await endings(started, how, 1))[0] as RunEnd
	const [wide, much, loose] = await Promise.all([end('wide'), end('much'), end('loose')])
	for (const { outcome } of [wide, much, loose]) expect(outcome.status).toBe('succeeded')
	expect(lines(wide.entries)).toHaveLength(1)
	const kept = lines(much.entries).length - 1
	expect(kept).toBeGreaterThan(200)
	expect(lines(much.entries).at(-1)).toBe(`${900 - kept} more lines were not kept.`)
	expect(lines(loose.entries)).toEqual([
		'alone',
		'shout loud',
		'a 1',
		'default: 1',
		'default: 2',
		expect.stringMatching(/^t: \d+ ms$/),
	])
})
