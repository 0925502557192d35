import { useSignal } from '@preact/signals'
import type { StartedDeployment } from '../../../owner/client/index.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Id } from '../../parts/copy.tsx'
import { Note } from '../../parts/note.tsx'
import { Card, Facts } from '../../parts/page.tsx'
import { Request } from '../../parts/request.tsx'
import { RunNow } from '../../parts/run-now.tsx'
import { Secret } from '../../parts/secret.tsx'
import { StepTitle } from './steps.tsx'

/** 4: the run key, once; the request that is ready to be sent; and a first run. */
export function KeyStep({ started }: { started: StartedDeployment }) {
	const { name, url, agent, provider } = started
	// Kept by this step alone, and dropped as soon as it is stored.
	const key = useSignal(started.run_key)
	const root = `/agents/${encodeURIComponent(name)}`
	return (
		<section class="stack" aria-label="Run key">
			<StepTitle>{name} is running</StepTitle>
			<Facts of={[['Address', <Id key="url" of={url} />]]} />
			{provider.status === 'unreachable' && (
				<Note tone="warn">
					<p>The provider could not be asked about the key: {provider.detail}</p>
				</Note>
			)}
			<Card title="Run key">
				{key.value ? (
					<div class="stack">
						<p>It is shown this once. Whoever has it can call the agent, and nothing else.</p>
						<Secret of={key.value} name="Run key" />
						<div>
							<Button
								kind="primary"
								onClick={() => {
									key.value = undefined
								}}
							>
								I have stored it
							</Button>
						</div>
					</div>
				) : (
					<p>
						It is not shown again. Make another under <a href={`${root}/keys`}>Keys</a>.
					</p>
				)}
			</Card>
			<Card title="Request">
				<Request url={url} name={name} inputs={agent.inputs} />
			</Card>
			<Card title="Run it now">
				<RunNow url={url} inputs={agent.inputs} />
			</Card>
			{!key.value && (
				<div class="actions">
					<LinkButton href={root} kind="primary">
						Open agent
					</LinkButton>
					<LinkButton href={`${root}/webhooks`}>Add a webhook</LinkButton>
				</div>
			)}
		</section>
	)
}
