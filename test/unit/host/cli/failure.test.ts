import { mkdirSync, renameSync } from 'node:fs'
import { expect, test } from 'vitest'
import { documentOf, faultLines } from '../../../../host/owner/cli/failure.ts'

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

// Proves: cli.fault-flags
test('what the API has in a header, a query or another address is told in the words of the command', () => {
	const low = fault('invalid_request', ['/version', 'must be at least 1'])
	const flags = ['--json', '--version-is']
	expect(faultLines(low, flags)).toEqual(['--version-is: must be at least 1 (invalid_request)'])
	expect(faultLines(low, ['--version'])).toEqual(['--version: must be at least 1 (invalid_request)'])
	const of = (code: string, detail: string) => faultLines({ code, detail }, flags)
	const changed = 'The file is at version 1, which If-Match does not name.'
	expect(of('precondition_failed', changed)).toEqual([
		'The file is at version 1, which --version-is does not name. (precondition_failed)',
	])
	const none = 'That file has no version 9. GET …/memory-versions/{path} lists those that are kept.'
	expect(of('not_found', none)).toEqual([
		'That file has no version 9. berth memory NAME versions PATH lists those that are kept. (not_found)',
	])
})

test('the one fault of a bundle is told once', () => {
	const said = 'agent.yaml /limits/steps: is over this host’s ceiling of 200'
	const one = {
		code: 'bundle_invalid',
		detail: `The bundle has one fault: ${said}`,
		errors: [{ path: 'agent.yaml#/limits/steps', message: said }],
	}
	expect(faultLines(one)).toEqual([`${one.detail} (bundle_invalid)`])
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

test.each([
	[() => mkdirSync('/dev/null/a'), '/dev/null/a: not a directory (ENOTDIR)'],
	[() => renameSync('/dev/null/a', '/dev/null/b'), '/dev/null/a: not a directory (ENOTDIR)'],
])('a file that the system refuses is told by its path and why', (refused, detail) => {
	let thrown: unknown
	try {
		refused()
	} catch (error) {
		thrown = error
	}
	expect(documentOf(thrown)).toMatchObject({ code: 'failed', detail })
})
