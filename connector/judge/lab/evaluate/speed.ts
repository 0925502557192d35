/** How long calls take, and how long the longest hold the event loop. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Judge } from '../../types.ts'

/** By the clock, in ms. */
export interface Speed {
	what: string
	median: number
	worst: number
	/** Median of the processor time, which a busy machine changes little; null: nothing that takes any. */
	cpu: number | null
}

const WORDS =
	'the report of the harbour office says that three ships left for the north on Monday with salt and grain while two more waited for a pilot'.split(
		' ',
	)
/** About one token a word here, a little more in general. */
function text(tokens: number): string {
	const out: string[] = []
	for (let i = 0; i < tokens; i++)
		out.push(i % 17 === 16 ? `${WORDS[(i * 7) % WORDS.length]} ${i}.` : WORDS[(i * 7) % WORDS.length]!)
	return out.join(' ')
}

const SHORT_TOKENS = 200
const LONG_TOKENS = 24_000
const CLAIMS = 64
const QUERY = 'how many ships came to the office in the north'
const CANDIDATES = Array.from({ length: 20 }, (_, i) =>
	Array.from({ length: 11 }, (_, k) => WORDS[(5 * i + 3 * k) % WORDS.length]).join(' '),
)

export async function measureSpeed(judge: Judge, signal: AbortSignal): Promise<Speed[]> {
	const long = text(LONG_TOKENS)
	const short = text(SHORT_TOKENS)
	const claims = Array.from(
		{ length: CLAIMS },
		(_, i) => `${i + 1} ships left the harbour with ${WORDS[i % WORDS.length]} on Tuesday.`,
	)
	const delay = monitorEventLoopDelay({ resolution: 5 })
	const calls: [string, number, () => Promise<unknown>][] = [
		['screen, 200 tokens', 50, () => judge.screen({ text: short }, signal)],
		[
			'verify, 200 tokens, 2 claims',
			50,
			() => judge.verify({ claims: claims.slice(0, 2), evidence: [short] }, signal),
		],
		[
			'find, 20 candidates of 60 letters',
			20,
			() => judge.find({ query: QUERY, candidates: CANDIDATES }, signal),
		],
		['screen, 24,000 tokens', 5, () => judge.screen({ text: long }, signal)],
		['verify, 24,000 tokens, 64 claims', 5, () => judge.verify({ claims, evidence: [long] }, signal)],
	]
	const out: Speed[] = []
	for (const [what, times, call] of calls) {
		await call()
		const taken: number[] = []
		const used: number[] = []
		delay.reset()
		delay.enable()
		for (let i = 0; i < times; i++) {
			const [start, cpu] = [performance.now(), process.cpuUsage()]
			await call()
			taken.push(performance.now() - start)
			const { user, system } = process.cpuUsage(cpu)
			used.push((user + system) / 1000)
		}
		delay.disable()
		for (const list of [taken, used]) list.sort((a, b) => a - b)
		const half = times >> 1
		out.push({ what, median: taken[half]!, worst: taken.at(-1)!, cpu: used[half]! })
		if (times < 10)
			out.push({
				what: `${what}: event loop held`,
				median: delay.percentile(50) / 1e6,
				worst: delay.max / 1e6,
				cpu: null,
			})
	}
	return [
		...out,
		{
			what: 'memory of the process, MB',
			median: process.memoryUsage.rss() / 2 ** 20,
			worst: process.resourceUsage().maxRSS / 1024,
			cpu: null,
		},
	]
}
