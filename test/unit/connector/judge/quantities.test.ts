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
	['At most two lamps are lit.', 'None of the lamps are lit.', 'verified'],
	['At least one lamp is lit.', 'None of the lamps are lit.', 'contradicted'],
	['Two men drink beer.', 'Two men drink cider.', 'contradicted'],
])('%s ← %s: %s', (claim, evidence, verdict) => {
	expect(verdictOn(claim, evidence)).toBe(verdict)
})

// Proves: judge.quantities
test.each(['7', 'OK', '👍'])('a text of no telling word, %s, verifies itself', (text) => {
	expect(verdictOn(text, text)).toBe('verified')
})

// Proves: judge.frames
test.each([
	['Ada did not mend the roof.', 'Ada failed to mend the roof.', 'verified'],
	['Ada mended the roof.', 'Ada failed to mend the roof.', 'contradicted'],
	['Ada mended the roof.', 'Ada did not fail to mend the roof.', 'verified'],
	['The rent was lower earlier.', 'The rent rose from 400 to 450 in May.', 'verified'],
	['Einen Hund darf man dort nicht halten.', 'Tierhaltung ist verboten.', 'verified'],
	['Das Gebäude umfasst 7 Wohnungen.', 'Das Haus hat 7 Wohnungen.', 'verified'],
])('what is failed, denied or earlier: %s ← %s: %s', (claim, evidence, verdict) => {
	expect(verdictOn(claim, evidence)).toBe(verdict)
})

// Proves: judge.plain-rules
test.each([
	['The jacket is black.', 'Size: M; Colour: navy blue', 'contradicted'],
	['The jacket comes in black.', 'Colours: red, black, green', 'verified'],
	['The table is made of oak.', 'Material: pine', 'contradicted'],
	['The course lasts 90 minutes.', 'The course lasts an hour and a half.', 'verified'],
	['The course lasts 60 minutes.', 'The course lasts an hour and a half.', 'contradicted'],
	['Das Hotel hat einen Pool.', 'Ausstattung: Sauna, Pool, WLAN', 'verified'],
	['The hotel has a garden.', 'Features: sauna, pool', 'unsupported'],
	['The team has five members.', 'Team: Ann, Bo, Cy, Di, Ed', 'verified'],
	['The team has four members.', 'Team: Ann, Bo, Cy, Di, Ed', 'contradicted'],
])('a fact with a label: %s ← %s: %s', (claim, evidence, verdict) => {
	expect(verdictOn(claim, evidence)).toBe(verdict)
})
