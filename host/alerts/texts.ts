import type { AlertType } from '../api/alerts.ts'

export interface Told {
	id: string
	type: AlertType | 'disk.low'
	data: Record<string, unknown>
	deployment_id: string | null
	/** Of the deployment. */
	name: string | null
}

export interface Mail {
	id: string
	subject: string
	text: string
}

/** Of the alerts of one account that are due together. */
export function mailOf(told: Told[], base: string): Mail {
	const lines = told.map((one) => ({ one, line: lineOf(one) }))
	const [first] = lines as [(typeof lines)[number]]
	const more = told.length > 1 ? ` (and ${told.length - 1} more)` : ''
	const text = lines.map(({ one, line }) => `${line}.\n${addressOf(one, base)}`).join('\n\n')
	return {
		id: first.one.id,
		subject: `[Berth] ${first.line}${more}`,
		text: `${text}\n\n--\nBerth at ${base}\nNo such e-mails: berth alerts --email off\n`,
	}
}

const addressOf = ({ deployment_id }: Told, base: string) =>
	deployment_id === null ? `${base}/admin/hosts` : `${base}/agents/${deployment_id}`

function lineOf({ type, name, data }: Told): string {
	if (type === 'agent.failing')
		return `${name} is failing: its last ${data.failed_runs} runs failed, with ${data.code}`
	if (type === 'budget.warning')
		return `${name} has used ${data.threshold} % of ${data.scope === 'key' ? 'the budget of a run key' : 'its budget'} in ${data.month}`
	if (type === 'credential.needs_sign_in') return `${name} needs a new sign-in: ${data.credential}`
	if (type === 'endpoint.disabled')
		return `A webhook endpoint of ${name} was disabled: ${data.reason}`.replace(/\.$/, '')
	return `The disk of a host has ${data.free_mb} MB free`
}
