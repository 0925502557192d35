import { expect, test } from 'vitest'
import { sinceTime } from '../../../../host/console/data/address.ts'
import { addressOf, nextStepOf, nextSteps } from '../../../../host/console/data/next-steps.ts'
import { differencesOf } from '../../../../host/console/pages/run/differences.ts'
import { visible } from '../../../../host/console/parts/value/visible.ts'
import { problems } from '../../../../host/http/errors.ts'

/** Codes that neither end a run nor refuse a call of one. */
const elsewhere = [
	'not_found',
	'bundle_invalid',
	'running_agent_limit_reached',
	'name_taken',
	'idempotency_in_progress',
	'precondition_failed',
	'wrong_place',
	'internal_error',
]

// Proves: console.failure-repaired
test('every code that a run or a call of one ends with has a next step', () => {
	const without = Object.keys(problems).filter((code) => !(code in nextSteps))
	expect(without.sort()).toEqual([...elsewhere].sort())
	expect(nextStepOf('of a later host').say).toMatch(/log/)
})

test('a next step leads to the agent, to its reference, or to the run', () => {
	const at = (code: string, run: string | null = 'run_1', here = false) =>
		addressOf(nextStepOf(code), 'my agent', run, here)
	expect(at('connector_not_connected')).toBe('/agents/my%20agent/credentials')
	expect(at('inputs_invalid')).toBe('/docs/my%20agent')
	expect(at('agent_error')).toBe('/runs/run_1')
	expect(at('agent_error', 'run_1', true)).toBeNull()
	expect(at('deployment_not_running', null)).toBe('/agents/my%20agent')
})

test('a span of time in an address is one that the API takes', () => {
	const now = Date.parse('2026-11-22T10:00:00.000Z')
	expect(sinceTime('24h', now)).toBe('2026-11-21T10:00:00.000Z')
	expect(sinceTime('2026-11-20T10:00:00+02:00', now)).toBe('2026-11-20T08:00:00.000Z')
	expect(sinceTime('yesterday', now)).toBeUndefined()
})

test('differences are named by JSON pointer, members that came or went included', () => {
	expect(differencesOf({ a: [1, { 'b/c': 2 }], d: 3 }, { a: [1, { 'b/c': 4 }], e: 5 })).toEqual([
		{ path: '/a/1/b~1c', before: 2, after: 4 },
		{ path: '/d', before: 3, after: undefined },
		{ path: '/e', before: undefined, after: 5 },
	])
	expect(differencesOf([1], { 0: 1 })).toHaveLength(1)
	expect(differencesOf(1, 1)).toEqual([])
})

test('what hides in a text or turns it around is shown as its escape', () => {
	expect(visible('pay\u202e 10\u200b\n\tEUR\u{e0041} é 漢')).toBe('pay\\u202e 10\\u200b\n\tEUR\\ue0041 é 漢')
})
