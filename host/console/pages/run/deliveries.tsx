import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Delivery, RunDetail } from '../../../owner/client/index.ts'
import { useAction } from '../../data/action.ts'
import { client } from '../../data/client.ts'
import { duration } from '../../data/format.ts'
import { useLoad } from '../../data/load.ts'
import { Button } from '../../parts/button.tsx'
import { Failure } from '../../parts/note.tsx'
import { Card } from '../../parts/page.tsx'
import { State } from '../../parts/state.tsx'
import { Time } from '../../parts/time.tsx'

const refreshMs = 3_000

/** What its webhooks were told of it, and what they said. */
export function Deliveries({ run }: { run: RunDetail }) {
	const read = async () => {
		const [deliveries, endpoints] = await Promise.all([
			client.webhooks.deliveries(run.deployment, { run: run.id, limit: 100 }),
			client.webhooks.list(run.deployment),
		])
		const urls = new Map(endpoints.data.map(({ id, url }) => [id, url]))
		return deliveries.data.map((of) => ({ of, url: urls.get(of.endpoint) ?? null }))
	}
	const pending = useSignal(false)
	// They are written with the run's end, or with its waiting.
	const found = useLoad(`deliveries of ${run.id} ${run.status}`, read, pending.value ? refreshMs : undefined)
	useEffect(() => {
		pending.value = found.data?.some(({ of }) => of.status === 'pending') ?? false
	}, [found.data])
	if (!found.data || found.data.length === 0) return null
	return (
		<Card title="Deliveries">
			<ul>
				{found.data.map(({ of, url }) => (
					<One key={of.id} of={of} url={url} deployment={run.deployment} onChange={found.reload} />
				))}
			</ul>
		</Card>
	)
}

interface OneProps {
	of: Delivery
	/** Null: the endpoint is deleted. */
	url: string | null
	deployment: string
	onChange(): Promise<void>
}

function One({ of: delivery, url, deployment, onChange }: OneProps) {
	const again = useAction(async () => {
		await client.webhooks.redeliver(deployment, delivery.id)
		await onChange()
	})
	return (
		<li class="delivery" aria-label={`${delivery.type} to ${url ?? delivery.endpoint}`}>
			<div class="row apart">
				<span class="row">
					<State of={delivery.status} />
					<span class="tag">{delivery.type}</span>
					<span>{url ?? `${delivery.endpoint} (deleted)`}</span>
				</span>
				{(delivery.attempts.length > 0 || delivery.status === 'failed') && url !== null && (
					<Button small busy={again.busy} onClick={() => again.run()}>
						Redeliver
					</Button>
				)}
			</div>
			<ol class="small soft">
				{delivery.status === 'failed' && delivery.attempts.length === 0 && (
					<li>not sent: the endpoint was disabled</li>
				)}
				{delivery.attempts.map(({ attempt, at, status, latency_ms, error, answer }) => (
					<li key={attempt}>
						{attempt}. <Time at={at} />: {status ?? error ?? 'no answer'} in {duration(latency_ms)}
						{answer && <> · {answer}</>}
					</li>
				))}
				{delivery.next_attempt_at && (
					<li>
						next attempt <Time at={delivery.next_attempt_at} />
					</li>
				)}
			</ol>
			<Failure of={again.error} />
		</li>
	)
}
