import { webhookTypes } from '../../../../api/endpoints.ts'
import { ChecksField } from '../../../parts/field.tsx'

const said: Record<string, string> = {
	'run.completed': 'a run succeeded',
	'run.failed': 'a run failed',
	'run.cancelled': 'a run was cancelled',
	'run.waiting': 'a run waits for a decision',
	'agent.failing': 'its last runs all failed',
	'budget.warning': '80 % of a budget are used',
	'credential.needs_sign_in': 'a connector needs a new sign-in',
	'endpoint.disabled': 'an endpoint was disabled for failing',
}

type WebhookType = (typeof webhookTypes)[number]

/** All of them stands for those that are still to come, too. */
export const eventsOf = (chosen: string[]): WebhookType[] | null => {
	const known = webhookTypes.filter((type) => chosen.includes(type))
	return known.length === webhookTypes.length ? null : known
}

export const chosenOf = (events: readonly string[] | null): string[] => [...(events ?? webhookTypes)]

export function EventsField({
	value,
	onValue,
	fault,
}: {
	value: string[]
	onValue(value: string[]): void
	fault?: string | undefined
}) {
	return (
		<ChecksField
			label="Told when"
			options={webhookTypes.map((type) => ({ value: type, label: `${said[type] ?? type} (${type})` }))}
			value={value}
			onValue={onValue}
			fault={fault}
		/>
	)
}
