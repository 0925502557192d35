import './deploy.css'
import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import type { DeploymentWithActivity, StartedDeployment } from '../../../owner/client/index.ts'
import { client } from '../../data/client.ts'
import { plural } from '../../data/format.ts'
import { useLoad } from '../../data/load.ts'
import { useAgents } from '../../data/shell.ts'
import { LinkButton } from '../../parts/button.tsx'
import { CancelDeployment } from '../../parts/cancel-deployment.tsx'
import { Empty, NotShown, Page, Shown } from '../../parts/page.tsx'
import { BundleStep } from './bundle-step.tsx'
import { CredentialsStep } from './credentials-step.tsx'
import type { Checked } from './dropped.ts'
import { KeyStep } from './key-step.tsx'
import { NameStep } from './name-step.tsx'
import { type Step, Steps } from './steps.tsx'

/** `/deploy`, and once the deployment is created, `/deploy?deployment=…`: a reload goes on there. */
export default function Deploy() {
	const { query } = useLocation()
	return query.deployment ? <Created key={query.deployment} id={query.deployment} /> : <New />
}

function New() {
	const { route } = useLocation()
	const agents = useAgents()
	const checked = useSignal<Checked | undefined>(undefined)
	const named = useSignal(false)
	const name = useSignal('')
	const take = (found: Checked | undefined) => {
		checked.value = found
		if (found && !named.value) name.value = found.name
	}
	const at = checked.value && named.value ? 1 : 0
	return (
		<Wizard
			at={at}
			chosen={[checked.value?.agent?.name, at === 1 ? name.value : undefined]}
			title="Deploy agent"
		>
			{checked.value && named.value ? (
				<NameStep
					checked={checked.value}
					name={name.value}
					onName={(typed) => {
						name.value = typed
					}}
					onChecked={take}
					onBack={() => {
						named.value = false
					}}
					onCreated={({ id }) => {
						void agents.reload()
						route(`/deploy?deployment=${id}`, true)
					}}
				/>
			) : (
				<BundleStep
					checked={checked.value}
					onChecked={take}
					onNext={() => {
						named.value = true
					}}
				/>
			)}
		</Wizard>
	)
}

function Created({ id }: { id: string }) {
	const { route } = useLocation()
	const agents = useAgents()
	const loaded = useLoad(`deployment ${id}`, () => client.deployments.get(id))
	const started = useSignal<StartedDeployment | undefined>(undefined)
	const cancelled = () => {
		void agents.reload()
		route('/')
	}
	if (loaded.data === undefined)
		return (
			<NotShown title="Deploy agent" of={loaded} absent="There is no such deployment">
				<p class="soft">It was deleted, or it belongs to another account.</p>
				<LinkButton href="/">To the agents</LinkButton>
			</NotShown>
		)
	return (
		<Shown of={loaded} lines={8}>
			{(deployment) => (
				<Wizard at={started.value ? 3 : 2} chosen={chosenOf(deployment)} title={`Deploy ${deployment.name}`}>
					{started.value ? (
						<KeyStep started={started.value} />
					) : deployment.state === 'creating' ? (
						<CredentialsStep
							deployment={deployment}
							changed={loaded.reload}
							onStarted={(answer) => {
								started.value = answer
								void agents.reload()
							}}
							onCancelled={cancelled}
						/>
					) : (
						<Over of={deployment} cancelled={cancelled} />
					)}
				</Wizard>
			)}
		</Shown>
	)
}

interface OverProps {
	of: DeploymentWithActivity
	cancelled(): void
}

/** Reached again after its end: the run key was shown once, and the rest is the agent's own page. */
function Over({ of: deployment, cancelled }: OverProps) {
	const { name, state, state_reason } = deployment
	const root = `/agents/${encodeURIComponent(name)}`
	return (
		<Empty title={`${name} is ${state}`}>
			{state === 'running' && <p>Its run key was shown once. Another is made under Keys.</p>}
			{state_reason && <p>{state_reason}</p>}
			<div class="actions">
				<LinkButton href={root} kind="primary">
					Open agent
				</LinkButton>
				{state === 'running' && <LinkButton href={`${root}/keys`}>Keys</LinkButton>}
				{state === 'failed' && <CancelDeployment deployment={deployment} changed={cancelled} />}
			</div>
		</Empty>
	)
}

function chosenOf({ agent, name, place, credentials }: DeploymentWithActivity): (string | undefined)[] {
	const ready = credentials.filter(({ state }) => state === 'ready')
	return [
		agent.name,
		`${name} · ${place}`,
		credentials.length === 0
			? 'none needed'
			: `${ready.length} of ${plural(credentials.length, 'credential')}`,
	]
}

interface WizardProps {
	title: string
	at: number
	chosen: (string | undefined)[]
	children: preact.ComponentChildren
}

function Wizard({ title, at, chosen, children }: WizardProps) {
	const steps: Step[] = ['Bundle', 'Name and place', 'Credentials', 'Run key'].map((name, i) => ({
		title: name,
		chosen: chosen[i],
	}))
	return (
		<Page title={title}>
			<div class="wizard">
				<Steps steps={steps} at={at} />
				<div class="column">{children}</div>
			</div>
		</Page>
	)
}
