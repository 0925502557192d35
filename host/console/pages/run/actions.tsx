import { type Signal, useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import type { RunDetail } from '../../../owner/client/index.ts'
import { useAction } from '../../data/action.ts'
import { client } from '../../data/client.ts'
import { dollars } from '../../data/format.ts'
import { forgetAll } from '../../data/load.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Replay } from './replay.tsx'

interface ActionsProps {
	run: RunDetail
	/** Whether it is asked whether to run again; a key asks, too. */
	again: Signal<boolean>
	onChange(): Promise<void>
}

type Asked = 'cancel' | 'replay' | 'erase' | null

export function Actions({ run, again, onChange }: ActionsProps) {
	const asked = useSignal<Asked>(null)
	const ask = (what: Asked) => () => {
		asked.value = what
	}
	const live = run.completed_at === null
	return (
		<>
			{live ? (
				<Button icon="stop" onClick={ask('cancel')}>
					Cancel run
				</Button>
			) : (
				<>
					<Button onClick={ask('replay')}>Replay</Button>
					<Button onClick={ask('erase')}>Erase</Button>
				</>
			)}
			<Button
				icon="replay"
				onClick={() => {
					again.value = true
				}}
			>
				Run again
			</Button>
			{asked.value === 'cancel' && <Cancel run={run} onClose={ask(null)} onChange={onChange} />}
			{asked.value === 'replay' && <Replay run={run} onClose={ask(null)} />}
			{asked.value === 'erase' && <Erase run={run} onClose={ask(null)} />}
			{again.value && (
				<Again
					run={run}
					onClose={() => {
						again.value = false
					}}
				/>
			)}
		</>
	)
}

function Cancel({ run, onClose, onChange }: { run: RunDetail; onClose(): void; onChange(): Promise<void> }) {
	const cancel = useAction(async () => {
		await client.runs.cancel(run.deployment_url, run.id)
		await onChange()
	})
	return (
		<Confirm
			title="Cancel this run?"
			action="Cancel run"
			danger
			busy={cancel.busy}
			error={cancel.error}
			onClose={onClose}
			onConfirm={async () => {
				if (await cancel.run()) onClose()
			}}
		>
			<p>
				The call in flight is stopped. A tool may have done a part of its work. What was spent stays spent.
			</p>
		</Confirm>
	)
}

function Erase({ run, onClose }: { run: RunDetail; onClose(): void }) {
	const { route } = useLocation()
	const erase = useAction(async () => {
		await client.runs.erase(null, run.id)
		forgetAll()
		onClose()
		route('/runs')
	})
	return (
		<Confirm
			title="Erase this run?"
			action="Erase run"
			danger
			busy={erase.busy}
			error={erase.error}
			onClose={onClose}
			onConfirm={() => erase.run()}
		>
			<p>
				Its inputs, output, events, decisions and webhook deliveries are deleted for good. What it wrote into
				memory stays.
			</p>
		</Confirm>
	)
}

function Again({ run, onClose }: { run: RunDetail; onClose(): void }) {
	const { route } = useLocation()
	const key = useSignal(crypto.randomUUID())
	const start = useAction(async () => {
		const { id } = await client.runs.runAsync(run.deployment_url, run.inputs, { idempotencyKey: key.value })
		onClose()
		route(`/runs/${id}`)
	})
	return (
		<Confirm
			title="Run again with these inputs?"
			action="Run again"
			busy={start.busy}
			error={start.error}
			onClose={onClose}
			onConfirm={() => start.run()}
		>
			<p>
				A new run of {run.deployment_name} with its active version. Models and tools are called anew
				{run.usage.usd !== null && run.usage.usd > 0 && `; this one cost ${dollars(run.usage.usd)}`}.
			</p>
			<p>
				<a href={`/agents/${encodeURIComponent(run.deployment_name)}/try?run=${run.id}`}>
					Change the inputs first
				</a>
			</p>
		</Confirm>
	)
}
