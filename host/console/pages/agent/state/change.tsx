import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { DeploymentWithActivity } from '../../../../owner/client/index.ts'
import { useAction } from '../../../data/action.ts'
import { client } from '../../../data/client.ts'
import { plural } from '../../../data/format.ts'
import { Button, LinkButton } from '../../../parts/button.tsx'
import { Failure, Note } from '../../../parts/note.tsx'
import { SecretDialog } from '../../../parts/secret.tsx'
import type { TabProps } from '../tabs.tsx'
import { NextStep } from './next-step.tsx'
import { StopDialog } from './stop-dialog.tsx'

/** While a stop is under way, the page shows what has become of it. */
const lookMs = 1_000

type Ended = { live: number; cancelled: string[] }

/** Starts an agent and stops it; below the buttons stands what came of it. */
export function StateChange({ agent, changed }: TabProps) {
	const asking = useSignal(false)
	const ended = useSignal<Ended | undefined>(undefined)
	const runKey = useSignal<string | undefined>(undefined)
	/** What its provider was asked for in vain: it runs all the same. */
	const unreached = useSignal<string | undefined>(undefined)
	const stop = useAction(async (seconds: number) => {
		const { in_flight, cancelled } = await client.deployments.stop(agent.id, seconds)
		ended.value = { live: in_flight.length, cancelled }
		await changed()
	})
	const start = useAction(async () => {
		ended.value = undefined
		const { run_key, provider } = await client.deployments.start(agent.id)
		runKey.value = run_key
		unreached.value = provider.status === 'unreachable' ? provider.detail : undefined
		await changed()
	})
	useEffect(() => {
		if (!stop.busy) return
		const timer = setInterval(() => void changed(), lookMs)
		return () => clearInterval(timer)
	}, [stop.busy, changed])
	return (
		<>
			<Buttons
				state={agent.state}
				id={agent.id}
				busy={start.busy || stop.busy}
				onStart={() => start.run()}
				onStop={() => {
					asking.value = true
				}}
			/>
			{asking.value && (
				<StopDialog
					agent={agent}
					onClose={() => {
						asking.value = false
					}}
					onStop={(seconds) => {
						asking.value = false
						void stop.run(seconds)
					}}
				/>
			)}
			{runKey.value !== undefined && (
				<SecretDialog
					title="Run key"
					secret={runKey.value}
					hint="It calls this agent. More keys can be made later."
					onStored={() => {
						runKey.value = undefined
					}}
				/>
			)}
			<Failure of={stop.error ?? start.error} next={<NextStep of={start.error} name={agent.name} />} />
			{unreached.value && (
				<Note tone="warn">
					<p role="status">It is started. Its provider could not be asked: {unreached.value}</p>
				</Note>
			)}
			{ended.value && agent.state === 'stopped' && <EndNote of={ended.value} />}
		</>
	)
}

interface ButtonsProps {
	state: DeploymentWithActivity['state']
	id: string
	busy: boolean
	onStart(): void
	onStop(): void
}

function Buttons({ state, id, busy, onStart, onStop }: ButtonsProps) {
	if (state === 'creating')
		return <LinkButton href={`/deploy?deployment=${id}`}>Continue setting up</LinkButton>
	if (state === 'stopped')
		return (
			<Button kind="primary" icon="runs" busy={busy} onClick={onStart}>
				Start agent
			</Button>
		)
	return (
		<Button icon="stop" busy={busy && state === 'running'} onClick={onStop}>
			{state === 'stopping' ? 'Stop sooner' : 'Stop agent'}
		</Button>
	)
}

function EndNote({ of: { live, cancelled } }: { of: Ended }) {
	return (
		<Note tone="plain">
			<p role="status">
				Stopped.{' '}
				{live === 0
					? 'No run was in flight.'
					: `${plural(live, 'run')} ${live === 1 ? 'was' : 'were'} in flight; ${cancelled.length} had to be cancelled.`}
			</p>
			{cancelled.length > 0 && (
				<ul>
					{cancelled.map((run) => (
						<li key={run}>
							<a href={`/runs/${run}`}>
								<code>{run}</code>
							</a>
						</li>
					))}
				</ul>
			)}
		</Note>
	)
}
