import { expect, test } from 'vitest'
import { crash } from './crash.ts'
import { victims } from './kills.ts'

// Contract 8, guarantees: nothing accepted is lost, nothing finished is done again. `npm run crash` is the long form.

test('no run is lost or repeated when sandbox, runtime, host and database are killed under a hundred of them', async () => {
	const said: string[] = []
	const seed = 7
	const report = await crash({ kills: 8, seed, inFlight: 100, log: (line) => void said.push(line) })
	expect(report.violations, [...said, ...report.logs.slice(-60)].join('\n')).toEqual([])
	expect(new Set(report.kills.map(({ victim }) => victim))).toEqual(new Set(victims))
	expect(report.runs).toBeGreaterThanOrEqual(100)
	expect(report.resumed).toBeGreaterThan(0)
}, 150_000)
