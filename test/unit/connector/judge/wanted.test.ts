// What is only wanted, tried or said of somebody is not verified, nor what somebody refuses, avoids or nearly does.
import { expect, test } from 'vitest'
import { createEngine } from '../../../../connector/judge/builtin/engine.ts'
import { loadModels } from '../../../../connector/judge/builtin/models.ts'
import { weightsFile } from '../../../../connector/judge/learned/files.ts'

const engine = createEngine(loadModels(weightsFile('judge.bin')))
const verdict = (evidence: string, claim: string) =>
	engine.verify({ claims: [claim], evidence: [evidence] }).results[0]?.verdict

test.each([
	['Smith was acquitted of murdering Jones.', 'Smith murdered Jones.'],
	['Brown is suspected of stealing the van.', 'Brown stole the van.'],
	['Brown was charged with stealing the van.', 'Brown stole the van.'],
	['The landlord tried to repair the roof.', 'The landlord repaired the roof.'],
	['The landlord plans to repair the roof in May.', 'The landlord repaired the roof in May.'],
	['The clinic was about to open a second ward.', 'The clinic opened a second ward.'],
	['The board is due to approve the budget on Friday.', 'The board approved the budget.'],
	['The suspect is believed to have fled to Spain.', 'The suspect fled to Spain.'],
	['The union is pushing to raise wages.', 'The union raised wages.'],
	['The nurse should have recorded the dose.', 'The nurse recorded the dose.'],
])('"%s" leaves open that "%s"', (evidence, claim) => {
	expect(verdict(evidence, claim)).toBe('unsupported')
})

test.each([
	['The nurse neglected to record the dose.', 'The nurse recorded the dose.'],
	['The board has yet to approve the budget.', 'The board approved the budget.'],
	['The company avoided paying the fine.', 'The company paid the fine.'],
	['The bank prevented the customer from withdrawing the money.', 'The customer withdrew the money.'],
	['The clinic nearly lost its licence.', 'The clinic lost its licence.'],
	['The box was too heavy for Lena to lift.', 'Lena lifted the box.'],
	['The order was cancelled before it was shipped.', 'The order was shipped.'],
	['The thief was caught before he could sell the painting.', 'The thief sold the painting.'],
	['Maria talked her brother out of selling the house.', 'Her brother sold the house.'],
	['The shop used to sell bicycles.', 'The shop sells bicycles.'],
])('"%s" says that it is not so that "%s"', (evidence, claim) => {
	expect(verdict(evidence, claim)).toBe('contradicted')
})

test.each([
	['The patient managed to walk to the door.', 'The patient walked to the door.'],
	['The firm was forced to recall the toys.', 'The firm recalled the toys.'],
	['The technician was able to restart the server.', 'The technician restarted the server.'],
	['The engineer did not fail to close the valve.', 'The engineer closed the valve.'],
	['He tried to open the door, and after an hour he opened the door.', 'He opened the door.'],
	['Brown was convicted of stealing the van.', 'Brown stole the van.'],
	['The shop used to sell bicycles.', 'The shop sold bicycles.'],
])('"%s" still says that "%s"', (evidence, claim) => {
	expect(verdict(evidence, claim)).toBe('verified')
})
