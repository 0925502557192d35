import { ApiError, type Deployment, type StartedDeployment } from '../../../owner/client/index.ts'
import { useAction } from '../../data/action.ts'
import { client } from '../../data/client.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { CancelDeployment } from '../../parts/cancel-deployment.tsx'
import { Credentials } from '../../parts/credentials/list.tsx'
import { Failure } from '../../parts/note.tsx'
import { limitOf } from './dropped.ts'
import { Slots } from './slots.tsx'
import { StepTitle } from './steps.tsx'

interface StepProps {
	deployment: Deployment
	changed(): Promise<void>
	onStarted(started: StartedDeployment): void
	onCancelled(): void
}

/** 3: what the agent needs, sealed here; then it is started. */
export function CredentialsStep({ deployment, changed, onStarted, onCancelled }: StepProps) {
	const start = useAction(async () => {
		try {
			onStarted(await client.deployments.start(deployment.id))
		} catch (error) {
			// The refused credential now says why.
			await changed()
			throw error
		}
	})
	const { credentials, name } = deployment
	const keys = credentials.filter(({ kind }) => kind === 'provider')
	const later = credentials.filter(({ kind, state }) => kind !== 'provider' && state !== 'ready')
	const error = start.error instanceof ApiError ? start.error : undefined
	const limit = error?.code === 'running_agent_limit_reached' ? limitOf(error.problem) : undefined
	const refused = error?.code === 'credential_rejected' && keys.some(({ state }) => state === 'rejected')
	return (
		<section class="stack" aria-label="Credentials">
			<StepTitle>Credentials</StepTitle>
			<p class="soft">
				Each is encrypted in this browser for this deployment, and uploaded straight to it. What you leave for
				later you find in the list: until it is started, {name} waits as “creating” and holds its slot.
			</p>
			<Credentials holder={deployment} changed={changed} />
			{limit && (
				<Slots
					of={limit}
					changed={async () => {
						start.clear()
					}}
				/>
			)}
			{!limit && !refused && <Failure of={start.error} />}
			{later.length > 0 && (
				<p class="soft small">
					Runs are refused until {later.length === 1 ? 'this one is' : 'these are'} there too; the agent can
					be started before.
				</p>
			)}
			<div class="actions">
				<Button
					kind="primary"
					busy={start.busy}
					disabled={keys.some(({ state }) => state !== 'ready')}
					onClick={() => start.run()}
				>
					Start agent
				</Button>
				<LinkButton href="/" kind="quiet">
					Go on later
				</LinkButton>
				<CancelDeployment deployment={deployment} changed={onCancelled} />
			</div>
			{start.busy && (
				<p class="soft small" role="status">
					Asking the provider, and starting …
				</p>
			)}
		</section>
	)
}
