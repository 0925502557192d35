import './webhooks.css'
import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Delivery, Endpoint } from '../../../../owner/client/index.ts'
import { useAction } from '../../../data/action.ts'
import { client } from '../../../data/client.ts'
import { hostNow } from '../../../data/clock.ts'
import { useList } from '../../../data/list.ts'
import { Button } from '../../../parts/button.tsx'
import { More } from '../../../parts/more.tsx'
import { Failure } from '../../../parts/note.tsx'
import { Card, Skeleton } from '../../../parts/page.tsx'
import { DeliveryRow } from './delivery.tsx'
import { RedeliverSpan } from './redeliver-span.tsx'

const refreshMs = 5_000
/** While one is under way. */
const soonMs = 1_000
const pageMax = 25

interface Props {
	deployment: string
	endpoints: Endpoint[]
	turn: number
}

/** The log of deliveries, newest first, each with its attempts. */
export function Deliveries({ deployment, endpoints, turn }: Props) {
	const status = useSignal('')
	const endpoint = useSignal('')
	const asking = useSignal(false)
	const soon = useSignal(false)
	const deliveries = useList<Delivery>(
		`deliveries ${deployment} ${endpoint.value} ${status.value}`,
		(cursor) => {
			const query = {
				limit: pageMax,
				...(status.value && { status: status.value }),
				...(cursor && { cursor }),
			}
			return endpoint.value
				? client.webhooks.deliveriesOf(deployment, endpoint.value, query)
				: client.webhooks.deliveries(deployment, query)
		},
		soon.value ? soonMs : refreshMs,
	)
	const { rows, reload } = deliveries
	const sending = rows?.some(isSoon) ?? false
	useEffect(() => {
		soon.value = sending
	}, [sending, soon])
	const again = useAction(async (id: string) => {
		await client.webhooks.redeliver(deployment, id)
		await reload()
	})
	useEffect(() => {
		if (turn > 0) void reload()
	}, [turn])
	return (
		<Card
			title="Deliveries"
			actions={
				<Button
					small
					icon="replay"
					onClick={() => {
						asking.value = true
					}}
				>
					Redeliver a span
				</Button>
			}
		>
			<Filters status={status} endpoint={endpoint} endpoints={endpoints} />
			<Failure of={deliveries.error ?? again.error} />
			{!rows && deliveries.error === undefined && <Skeleton lines={4} />}
			{rows?.length === 0 && <p class="soft">Nothing was delivered yet. Ping a webhook to try it.</p>}
			{rows && rows.length > 0 && (
				<ul class="deliveries">
					{rows.map((delivery) => (
						<DeliveryRow
							key={delivery.id}
							of={delivery}
							url={endpoints.find(({ id }) => id === delivery.endpoint)?.url ?? 'removed webhook'}
							busy={again.busy}
							onAgain={() => again.run(delivery.id)}
						/>
					))}
				</ul>
			)}
			<More of={deliveries} />
			{asking.value && (
				<RedeliverSpan
					deployment={deployment}
					endpoints={endpoints}
					onDone={reload}
					onClose={() => {
						asking.value = false
					}}
				/>
			)}
		</Card>
	)
}

/** It is to be sent about now, and not after a pause of its retries. */
const isSoon = ({ status, next_attempt_at }: Delivery) =>
	status === 'pending' && (next_attempt_at === null || Date.parse(next_attempt_at) < hostNow() + refreshMs)

interface FiltersProps {
	status: Signal<string>
	endpoint: Signal<string>
	endpoints: Endpoint[]
}

function Filters({ status, endpoint, endpoints }: FiltersProps) {
	return (
		<div class="chips">
			<select
				aria-label="Status of deliveries"
				value={status.value}
				onChange={(event) => {
					status.value = event.currentTarget.value
				}}
			>
				<option value="">Every status</option>
				<option value="pending">Pending</option>
				<option value="delivered">Delivered</option>
				<option value="failed">Failed</option>
			</select>
			<select
				aria-label="Webhook of deliveries"
				value={endpoint.value}
				onChange={(event) => {
					endpoint.value = event.currentTarget.value
				}}
			>
				<option value="">Every webhook</option>
				{endpoints.map(({ id, url }) => (
					<option key={id} value={id}>
						{url}
					</option>
				))}
			</select>
		</div>
	)
}
