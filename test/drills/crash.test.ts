import { expect, test } from 'vitest'
import { crash } from '../crash/crash.ts'
import { troubles, victims } from '../crash/plan.ts'

// Nothing accepted is lost, nothing finished is done again. `npm run crash` is the long form.

// Proves: event.one-terminal, journal.never-lost
test('no run is lost or repeated when all parts are killed, frozen and cut off under thirty of them', async () => {
	const said: string[] = []
	const seed = 7
	const report = await crash({
		kills: 7,
		seed,
		inFlight: 30,
		freezeSeconds: 3,
		modelMs: 1_500,
		log: (line) => void said.push(line),
	})
	console.log(
		said.join('\n'),
		JSON.stringify({ ...report, logs: 0, faults: report.faults.length, explained: report.explained.length }),
	)
	expect(report.violations, [...said, ...report.logs.slice(-60)].join('\n')).toEqual([])
	expect(new Set(report.faults.map(({ what }) => what))).toEqual(new Set([...victims, ...troubles]))
	expect(report.runs).toBeGreaterThanOrEqual(100)
	expect(report.resumed).toBeGreaterThan(0)
}, 240_000)
