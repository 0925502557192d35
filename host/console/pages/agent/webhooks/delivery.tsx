import type { Delivery } from '../../../../owner/client/index.ts'
import { duration } from '../../../data/format.ts'
import { Button } from '../../../parts/button.tsx'
import { Code } from '../../../parts/code.tsx'
import { State } from '../../../parts/state.tsx'
import { Time } from '../../../parts/time.tsx'

interface Props {
	of: Delivery
	url: string
	busy: boolean
	onAgain(): void
}

/** Only a disabled endpoint has one that failed without an attempt. */
const unsent = (status: string) => (status === 'failed' ? 'endpoint was disabled' : 'not sent yet')

/** A line that opens: what each attempt was answered. */
export function DeliveryRow({ of, url, busy, onAgain }: Props) {
	const { id, type, status, run, attempts, event, next_attempt_at, created_at } = of
	const last = attempts.at(-1)
	return (
		<li>
			<details>
				<summary>
					<State of={status} />
					<strong>{type}</strong>
					<span class="soft cut">{url}</span>
					<span class="soft nowrap">
						{last ? `${last.status ?? 'no answer'}, ${duration(last.latency_ms)}` : unsent(status)}
					</span>
					<Time at={created_at} />
				</summary>
				<div class="stack tight">
					<div class="row apart">
						<span class="small soft">
							{id} · webhook-id {event}
							{run && (
								<>
									{' · '}
									<a href={`/runs/${run}`}>{run}</a>
								</>
							)}
						</span>
						<Button small icon="replay" busy={busy} disabled={status === 'pending'} onClick={onAgain}>
							Redeliver
						</Button>
					</div>
					{attempts.map((one) => (
						<div key={one.attempt} class="stack tight">
							<div class="row">
								<span>Attempt {one.attempt}</span>
								<Time at={one.at} />
								<span>{one.status === null ? 'no answer' : `answered ${one.status}`}</span>
								<span class="soft">{duration(one.latency_ms)}</span>
							</div>
							{one.error && <p class="fault">{one.error}</p>}
							{one.answer && <Code label={`answer to attempt ${one.attempt}`} text={one.answer} />}
						</div>
					))}
					{next_attempt_at && (
						<p class="soft">
							Next attempt: <Time at={next_attempt_at} />
						</p>
					)}
				</div>
			</details>
		</li>
	)
}
