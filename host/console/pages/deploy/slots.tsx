import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useAction } from '../../data/action.ts'
import { client } from '../../data/client.ts'
import { Button } from '../../parts/button.tsx'
import { CancelDeployment } from '../../parts/cancel-deployment.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Note } from '../../parts/note.tsx'
import { State } from '../../parts/state.tsx'
import { Time } from '../../parts/time.tsx'
import type { Limit, SlotHolder } from './dropped.ts'

interface SlotsProps {
	of: Limit
	changed(): Promise<unknown>
	/** Other ways on. */
	children?: ComponentChildren
}

/** At the limit: what holds each slot, and a way to free one. What was chosen so far stays. */
export function Slots({ of: { limit, slots }, changed, children }: SlotsProps) {
	return (
		<div class="stack">
			<Note tone="warn">
				<p>
					Your plan allows {limit === 1 ? 'one running agent' : `${limit} running agents`}, and{' '}
					{limit === 1 ? 'it is' : 'all are'} taken. Stop one, and go on here.
				</p>
			</Note>
			<ul class="slot-holders" aria-label="What holds your slots">
				{slots.map((slot) => (
					<li key={slot.deployment} class="row apart" aria-label={slot.name}>
						<span class="row">
							<a href={`/agents/${encodeURIComponent(slot.name)}`} target="_blank" rel="noopener">
								{slot.name}
							</a>
							<State of={slot.state} />
							<span class="soft small">
								since <Time at={slot.since} />
							</span>
						</span>
						<Free of={slot} changed={changed} />
					</li>
				))}
			</ul>
			<div class="actions">
				<Button onClick={changed}>Look again</Button>
				{children}
			</div>
		</div>
	)
}

function Free({ of: { deployment, name, state }, changed }: { of: SlotHolder; changed(): Promise<unknown> }) {
	const asked = useSignal(false)
	const stop = useAction(async () => {
		await client.deployments.stop(deployment)
		asked.value = false
		await changed()
	})
	if (state === 'creating' || state === 'failed')
		return <CancelDeployment deployment={{ id: deployment, name }} small changed={changed} />
	if (state === 'stopping') return <span class="soft small">stops within 30 seconds</span>
	return (
		<>
			<Button
				small
				icon="stop"
				onClick={() => {
					asked.value = true
				}}
			>
				Stop agent
			</Button>
			{asked.value && (
				<Confirm
					title={`Stop ${name}?`}
					action="Stop agent"
					danger
					busy={stop.busy}
					error={stop.error}
					onConfirm={() => stop.run()}
					onClose={() => {
						asked.value = false
					}}
				>
					<p>
						It takes no more calls. Runs in flight get 30 seconds, then they are cancelled. It can be started
						again.
					</p>
				</Confirm>
			)}
		</>
	)
}
