// The tabs of the account and of the platform, by their addresses: of their pages, and of the dialog that jumps there.

export const hubSides = [
	['', 'Plan'],
	['credits', 'Credits'],
	['alerts', 'Alerts'],
	['tokens', 'Tokens'],
	['sessions', 'Sessions'],
	['audit', 'Audit log'],
] as const

export const adminSides = [
	['', 'Accounts'],
	['guard', 'Guard'],
	['hosts', 'Hosts'],
	['runs', 'Live runs'],
	['prices', 'Prices'],
	['audit', 'Audit log'],
] as const

/** Of an agent; the first has no name in the address. */
export const agentSides = [
	['', 'Overview'],
	['runs', 'Runs'],
	['try', 'Try it'],
	['versions', 'Versions'],
	['keys', 'Keys'],
	['credentials', 'Credentials'],
	['tools', 'Tools'],
	['webhooks', 'Webhooks'],
	['schedules', 'Schedules'],
	['memory', 'Memory'],
	['budget', 'Budget'],
	['settings', 'Settings'],
] as const

/** `/hub`, `/hub/tokens`. */
export const sideAt = (root: string, path: string) => (path === '' ? root : `${root}/${path}`)
