/**
 * `guard_screen` end to end, with the built-in judge, beside a bare SDK server that is sent the same text and does
 * nothing with it: CPU of all processes of a side, which other work on the machine does not change as it does times.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { caller, type Server, start } from './guard.ts'
import { load, quantile } from './load.ts'
import { cpuSeconds } from './processes.ts'

const era = '2025-11-25'
const accounts = 600
/** Prose of about three and a half characters a token. */
const pages = ['connector/README.md', 'runtime/README.md', 'host/README.md', 'host/OPERATING.md']
const LENGTHS = { 'of 200 tokens': 700, 'of 20,000 tokens': 70_000 }
const CALLS = { 'of 200 tokens': 400, 'of 20,000 tokens': 20 }
const ROUNDS = 3
/** Callers of the long calls, beside which one makes short ones. */
const LONG_CALLERS = 2

export async function benchTexts(bare: Server, quick: boolean): Promise<void> {
	const guard = await start('mcp-guard.ts', String(accounts), 'builtin')
	const whole = pages
		.map((page) => readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8'))
		.join('\n')
	/** Another part of the pages each time. */
	const part = (length: number, n: number) => {
		const from = (n * 97) % (whole.length - length)
		return { text: whole.slice(from, from + length) }
	}
	const screens = (length: number) => caller(guard, era, 'guard_screen', (n) => part(length, n))
	try {
		console.log('\nguard_screen with the built-in judge     CPU ms a call        p50 ms')
		for (const [name, length] of Object.entries(LENGTHS) as [keyof typeof LENGTHS, number][]) {
			const sides = [
				{ of: bare, call: caller(bare, era, 'empty', (n) => part(length, n)) },
				{ of: guard, call: screens(length) },
			]
			const rounds: { cpu: number; p50: number }[][] = [[], []]
			const calls = CALLS[name] / (quick ? 4 : 1)
			for (const { call } of sides) await load(1, calls, 30, call)
			for (let round = 0; round < (quick ? 1 : ROUNDS); round++)
				for (const [n, { of, call }] of sides.entries()) rounds[n]?.push(await measured(of, calls, call))
			const middle = (n: number, pick: 'cpu' | 'p50') =>
				quantile(rounds[n]?.map((one) => one[pick]) ?? [], 0.5)
			const cells = (pick: 'cpu' | 'p50') =>
				`${middle(1, pick).toFixed(2)}, bare ${middle(0, pick).toFixed(2)}`
			console.log(`  text ${name.padEnd(34)}${cells('cpu').padEnd(21)}${cells('p50')}`)
		}
		await beside(screens(LENGTHS['of 200 tokens'] * 6), screens(LENGTHS['of 20,000 tokens']), quick)
	} finally {
		guard.child.kill('SIGTERM')
		await once(guard.child, 'exit')
	}
}

async function measured({ child }: Server, calls: number, call: () => Promise<void>) {
	const before = cpuSeconds(child.pid as number)
	const seen = await load(1, calls, 60, call)
	const cpu = ((cpuSeconds(child.pid as number) - before) / seen.calls) * 1000
	return { cpu, p50: quantile(seen.latencies, 0.5) }
}

/** Short calls that are long enough for a thread, while long ones keep coming. */
async function beside(short: () => Promise<void>, long: () => Promise<void>, quick: boolean): Promise<void> {
	const calls = quick ? 50 : 200
	const alone = await load(1, calls, 30, short)
	let over = false
	let longs = 0
	const busy = Array.from({ length: LONG_CALLERS }, async () => {
		for (; !over; longs++) await long()
	})
	const seen = await load(1, calls, 30, short)
	over = true
	await Promise.all(busy)
	const of = (values: number[]) =>
		`p50 ${quantile(values, 0.5).toFixed(1)}, p99 ${quantile(values, 0.99).toFixed(1)} ms`
	console.log(`  text of 1,200 tokens: ${of(alone.latencies)}`)
	console.log(
		`  the same beside ${LONG_CALLERS} callers with 20,000: ${of(seen.latencies)}; ${(seen.calls / Math.max(1, longs)).toFixed(1)} short calls to a long one`,
	)
}
