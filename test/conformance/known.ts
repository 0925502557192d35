// Why a check fails, one line a cause. A cause is known by the suite's own words for the check, so that a scenario that
// begins to fail for another reason is told of.

interface Cause {
	of: 'server' | 'client'
	scenarios: RegExp
	/** Of the check: its id and message. */
	words: RegExp
	reason: string
}

const any = /./

const causes: Cause[] = [
	{
		of: 'server',
		scenarios: any,
		words: /There is no tool test_|Tool '\w+' not found|no tool with x-mcp-header|test_\w+/,
		reason:
			'The scenario calls a tool of the suite’s own example server; the guard has six tools of its own.',
	},
	{
		of: 'server',
		scenarios: /^(logging|completion|resources|prompts|caching|tools-call-with-logging|input-required)/,
		words: /Method not found|InputRequiredResult|not exercised/,
		reason:
			'The guard announces tools alone: no prompts, resources, completion or logging, and no questions back.',
	},
	{
		of: 'client',
		scenarios: /^auth\/basic-cimd/,
		words: /ended with 1/,
		reason:
			'A warning: Berth registers itself. A metadata document of its own would need an address that is public.',
	},
	{
		of: 'client',
		scenarios: /^json-schema-2020-12-preservation/,
		words: /echo back/,
		reason: 'The scenario wants a tool’s schema sent back as an argument, which no agent does.',
	},
]

export function reasonOf(kind: Cause['of'], scenario: string, said: string): string | undefined {
	return causes.find(
		({ of, scenarios, words }) => of === kind && scenarios.test(scenario) && words.test(said),
	)?.reason
}
