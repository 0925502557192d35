import { expect, test } from 'vitest'
import { faultLines } from '../../../../host/owner/cli/failure.ts'

const fault = (code: string, ...errors: [path: string, message: string][]) => ({
	code,
	detail: errors[0]?.join(': ') ?? '',
	errors: errors.map(([path, message]) => ({ path, message })),
})

// Proves: cli.fault-once
test('one fault is told once, by the option that fills the member', () => {
	const late = fault('invalid_request', ['/expires_at', 'This time is over.'])
	expect(faultLines(late, ['--name', '--expires'])).toEqual([
		'--expires: This time is over. (invalid_request)',
	])
	expect(faultLines(late)).toEqual(['/expires_at: This time is over. (invalid_request)'])
	const cron = {
		code: 'invalid_request',
		detail: 'cron must be x.',
		errors: [{ path: '/cron', message: 'must be x' }],
	}
	expect(faultLines(cron, ['--cron'])).toEqual(['cron must be x. (invalid_request)'])
})

// Proves: cli.fault-once
test('of several faults, each is told once', () => {
	const two = fault('invalid_request', ['/url', 'Invalid URL'], ['/budgets/usd_per_month', 'Too big'])
	expect(faultLines(two, ['--usd'])).toEqual(['/url: Invalid URL (invalid_request)', '  --usd: Too big'])
})

test('a fault in the inputs of a run names no option of the same name', () => {
	const inputs = {
		code: 'inputs_invalid',
		detail: 'The inputs do not fit: file is missing.',
		errors: [{ path: '/file', message: 'is missing' }],
	}
	expect(faultLines(inputs, ['--file'])).toEqual([
		'The inputs do not fit: file is missing. (inputs_invalid)',
		'  /file: is missing',
	])
})
