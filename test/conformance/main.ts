/**
 * Runs the official MCP conformance suite, both releases and both eras, and prints its closing figures.
 * Server: the guard on a Postgres of its own, behind a front that adds the access token, which the suite has none of.
 * Client: an agent's connection to its connectors (client.ts). Arguments narrow the run: `server`, `client`, a scenario.
 */
import { startGuardFront } from './front.ts'
import { reasonOf } from './known.ts'
import { type Outcome, runScenario, scenariosOf } from './suite.ts'

const rounds = [
	{ release: '0.1.16', package: 'conformance-stable', era: '2025-11-25' },
	{ release: '0.2.0-alpha.12', package: '@modelcontextprotocol/conformance', era: '2025-11-25' },
	{ release: '0.2.0-alpha.12', package: '@modelcontextprotocol/conformance', era: '2026-07-28' },
]
const kinds = ['server', 'client'] as const
/** Each is two processes; on more at once the suite's own time limits are too short for two cores. */
const atOnce = 2

const asked = process.argv.slice(2)
const wanted = (kind: string, scenario: string) =>
	asked.length === 0 || asked.includes(kind) || asked.includes(scenario)

const front = await startGuardFront()
const closing: string[] = []
let unexplained = 0
try {
	for (const kind of kinds) {
		for (const round of rounds) {
			const scenarios = (await scenariosOf(round, kind)).filter((name) => wanted(kind, name))
			const outcomes: Outcome[] = []
			const left = scenarios.values()
			const work = async () => {
				for (const scenario of left) {
					const outcome = await runScenario({ ...round, kind, scenario, url: front.url })
					report(kind, round.era, outcome)
					outcomes.push(outcome)
				}
			}
			await Promise.all(Array.from({ length: atOnce }, work))
			const count = (wanted: Outcome['result']) => outcomes.filter(({ result }) => result === wanted).length
			closing.push(
				`${kind}, ${round.era}, suite ${round.release}: ${count('pass')} of ${outcomes.length} scenarios pass, ${count('fail')} fail, ${count('no check')} without a check`,
			)
		}
	}
} finally {
	await front.close()
}
console.log(`\n${closing.join('\n')}`)
if (unexplained > 0) console.log(`${unexplained} failed without an explanation in test/conformance/known.ts.`)
process.exitCode = unexplained > 0 ? 1 : 0

function report(kind: 'server' | 'client', era: string, outcome: Outcome): void {
	const { scenario, result, checks, words } = outcome
	console.log(`${result}: ${kind} ${era} ${scenario} (${checks.good} of ${checks.all} checks)`)
	if (result !== 'fail') return
	const reasons = words.map((said) => reasonOf(kind, scenario, said) ?? `NOT EXPLAINED: ${said}`)
	for (const reason of new Set(reasons)) console.log(`      ${reason}`)
	if (reasons.some((reason) => reason.startsWith('NOT EXPLAINED'))) unexplained++
}
