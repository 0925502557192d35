import { useSignal } from '@preact/signals'
import type { DeploymentWithActivity } from '../../../../owner/client/index.ts'
import { bound } from '../../../data/bound.ts'
import { client } from '../../../data/client.ts'
import { plural } from '../../../data/format.ts'
import { useLoad } from '../../../data/load.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { TextField } from '../../../parts/field.tsx'
import { Shown } from '../../../parts/page.tsx'
import { State } from '../../../parts/state.tsx'
import { Took } from '../../../parts/time.tsx'

const lookMs = 5_000
const shownMax = 8
/** Of `drain_seconds` in the API. */
const drainMax = 3_600

interface Props {
	agent: DeploymentWithActivity
	onStop(seconds: number): void
	onClose(): void
}

/** Says which runs are in flight, and how long they get. */
export function StopDialog({ agent, onStop, onClose }: Props) {
	const typed = useSignal('30')
	const live = useLoad(
		`live ${agent.id}`,
		() => client.runs.all({ status: 'live', deployment: agent.id, limit: 100 }),
		lookMs,
	)
	const seconds = Number(typed.value)
	const wrong = typed.value === '' || !(seconds >= 0 && seconds <= drainMax)
	const footer = (
		<>
			<Button onClick={onClose}>Cancel</Button>
			<Button type="submit" kind="danger" disabled={wrong}>
				Stop agent
			</Button>
		</>
	)
	return (
		<Dialog title={`Stop ${agent.name}`} onClose={onClose} onSubmit={() => onStop(seconds)} footer={footer}>
			<Shown of={live} lines={2}>
				{({ data, next_cursor }) => (
					<>
						<p>
							{data.length === 0
								? 'No run is in flight. '
								: `${plural(data.length, 'run')}${next_cursor ? ' or more' : ''} ${data.length === 1 ? 'is' : 'are'} in flight. They get ${plural(wrong ? 0 : seconds, 'second')} to end, then they are cancelled. `}
							New calls are refused at once. The agent can be started again.
						</p>
						{data.length > 0 && (
							<ul class="stack tight">
								{data.slice(0, shownMax).map(({ id, status, created_at }) => (
									<li key={id} class="row apart">
										<a href={`/runs/${id}`} target="_blank" rel="noopener">
											<code>{id}</code>
										</a>
										<span class="row">
											<State of={status} />
											<Took from={created_at} to={null} />
										</span>
									</li>
								))}
								{data.length > shownMax && <li class="soft">and {data.length - shownMax} more</li>}
							</ul>
						)}
					</>
				)}
			</Shown>
			<TextField
				label="Seconds that runs in flight get"
				type="number"
				{...bound(typed)}
				fault={wrong ? `A number from 0 to ${drainMax}.` : undefined}
			/>
		</Dialog>
	)
}
