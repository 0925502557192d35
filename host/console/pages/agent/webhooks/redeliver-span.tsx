import { type Signal, useSignal } from '@preact/signals'
import type { Endpoint } from '../../../../owner/client/index.ts'
import { useAction } from '../../../data/action.ts'
import { bound, chosen } from '../../../data/bound.ts'
import { client } from '../../../data/client.ts'
import { hostNow } from '../../../data/clock.ts'
import { plural } from '../../../data/format.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { ChoiceField, TextField } from '../../../parts/field.tsx'
import { Failure, Note } from '../../../parts/note.tsx'

interface Props {
	deployment: string
	endpoints: Endpoint[]
	onDone(): Promise<void>
	onClose(): void
}

const dayMs = 86_400_000

/** After an outage of a receiver: everything of a span of time, sent again. */
export function RedeliverSpan({ deployment, endpoints, onDone, onClose }: Props) {
	const since = useSignal(localTime(hostNow() - dayMs))
	const until = useSignal('')
	const status = useSignal('failed')
	const endpoint = useSignal('')
	const sent = useSignal<number | undefined>(undefined)
	const send = useAction(async () => {
		const { deliveries } = await client.webhooks.redeliverSpan(deployment, {
			since: new Date(since.value).toISOString(),
			...(until.value && { until: new Date(until.value).toISOString() }),
			status: status.value,
			...(endpoint.value && { endpoint: endpoint.value }),
		})
		sent.value = deliveries
		await onDone()
	})
	const footer = (
		<>
			<Button onClick={onClose}>Close</Button>
			<Button type="submit" kind="primary" busy={send.busy}>
				Redeliver
			</Button>
		</>
	)
	return (
		<Dialog title="Redeliver a span" onClose={onClose} onSubmit={send.run} footer={footer}>
			<p>Each delivery keeps its webhook-id and body, so that a receiver can tell what it knows already.</p>
			<div class="columns">
				<TextField
					label="Since"
					type="datetime-local"
					required
					{...bound(since)}
					fault={send.faults['/since']}
				/>
				<TextField
					label="Until"
					type="datetime-local"
					{...bound(until)}
					fault={send.faults['/until']}
					hint="Empty: now."
				/>
			</div>
			<Which status={status} endpoint={endpoint} endpoints={endpoints} />
			<Failure of={send.error} />
			{sent.value !== undefined && (
				<Note tone="good">
					<p role="status">
						{plural(sent.value, 'delivery', 'deliveries')} {sent.value === 1 ? 'is' : 'are'} sent again.
					</p>
				</Note>
			)}
		</Dialog>
	)
}

interface WhichProps {
	status: Signal<string>
	endpoint: Signal<string>
	endpoints: Endpoint[]
}

function Which({ status, endpoint, endpoints }: WhichProps) {
	return (
		<>
			<ChoiceField
				label="Which"
				{...chosen(status)}
				options={[
					{ value: 'failed', label: 'failed ones' },
					{ value: 'delivered', label: 'delivered ones' },
					{ value: 'all', label: 'all of them' },
				]}
			/>
			<ChoiceField
				label="Webhook"
				{...chosen(endpoint)}
				options={[
					{ value: '', label: 'every webhook that is active' },
					...endpoints
						.filter(({ disabled_at }) => !disabled_at)
						.map(({ id, url }) => ({ value: id, label: url })),
				]}
			/>
		</>
	)
}

/** As an input of the browser's own time takes it. */
function localTime(ms: number): string {
	const offset = new Date(ms).getTimezoneOffset() * 60_000
	return new Date(ms - offset).toISOString().slice(0, 16)
}
