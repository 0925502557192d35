// Of how many a thing is true: what follows from one quantifier for another.
import { expect, test } from 'vitest'
import { createEngine } from '../../../../connector/judge/builtin/engine.ts'
import { loadModels } from '../../../../connector/judge/builtin/models.ts'
import { weightsFile } from '../../../../connector/judge/learned/files.ts'

const engine = createEngine(loadModels(weightsFile('judge.bin')))
const verdictOn = (claim: string, evidence: string) =>
	engine.verify({ claims: [claim], evidence: [evidence] }).results[0]!.verdict

// Proves: judge.quantities
test.each([
	['Some lamps are lit.', 'All lamps are lit.', 'verified'],
	['All lamps are lit.', 'Some lamps are lit.', 'unsupported'],
	['All lamps are lit.', 'Most lamps are lit.', 'unsupported'],
	['Most lamps are lit.', 'Every lamp is lit.', 'verified'],
	['No lamps are lit.', 'Some lamps are lit.', 'contradicted'],
	['All lamps are lit.', 'Not all lamps are lit.', 'contradicted'],
	['Most lamps are lit.', 'Few lamps are lit.', 'contradicted'],
	['Everyone survived.', 'Nobody died.', 'verified'],
	['Everyone survived.', 'Two climbers died.', 'contradicted'],
	['Everybody replied.', 'No one replied.', 'contradicted'],
	['Alle Lampen brennen.', 'Manche Lampen brennen.', 'unsupported'],
	['Nobody replied.', 'No one replied.', 'verified'],
])('%s ← %s: %s', (claim, evidence, verdict) => {
	expect(verdictOn(claim, evidence)).toBe(verdict)
})

// Proves: judge.quantities
test.each(['7', 'OK', '👍'])('a text of no telling word, %s, verifies itself', (text) => {
	expect(verdictOn(text, text)).toBe('verified')
})
