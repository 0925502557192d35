import { expect, test } from 'vitest'
import { complaintOf } from '../../../../host/console/parts/complaint.ts'

test('what a browser cannot read is refused by a sentence that says what to type', () => {
	const of = (type: string, validity: Partial<ValidityState>, required = false) =>
		complaintOf({ type, required, min: '0', max: '1', validity, validationMessage: 'of the browser' })
	expect(of('number', { valid: true })).toBe('')
	expect(of('number', { badInput: true })).toMatch(/^This is not a number\..+, or empty the field\.$/)
	expect(of('number', { badInput: true }, true)).not.toMatch(/empty/)
	expect(of('date', { badInput: true })).toMatch(/^The date is not complete/)
	expect(of('datetime-local', { badInput: true })).toMatch(/^Date or time is not complete/)
	expect(of('number', { valueMissing: true })).toMatch(/^Type a number/)
	expect(of('text', { valueMissing: true })).toBe('Fill this in.')
	expect(of('number', { rangeOverflow: true })).toBe('Type a number from 0 to 1.')
	expect(of('number', { stepMismatch: true })).toBe('Type a whole number.')
	expect(of('url', { typeMismatch: true })).toMatch(/https:/)
	expect(of('email', { typeMismatch: true })).toMatch(/name@example\.com/)
	expect(of('text', { tooShort: true })).toBe('of the browser')
})
