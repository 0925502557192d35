import { useSignal } from '@preact/signals'
import type { EndpointWithSecret } from '../../../../owner/client/index.ts'
import { client } from '../../../data/client.ts'
import { useLoad } from '../../../data/load.ts'
import { Button } from '../../../parts/button.tsx'
import { Empty, Shown } from '../../../parts/page.tsx'
import { SecretDialog } from '../../../parts/secret.tsx'
import type { TabProps } from '../tabs.tsx'
import { Deliveries } from './deliveries.tsx'
import { EndpointCard } from './endpoint.tsx'
import { NewEndpoint } from './new-endpoint.tsx'

/** Who is told of runs, and what became of each delivery. */
export default function Webhooks({ agent: { id } }: TabProps) {
	const endpoints = useLoad(`endpoints ${id}`, () => client.webhooks.list(id))
	const adding = useSignal(false)
	const shown = useSignal<EndpointWithSecret | undefined>(undefined)
	/** Grows with what makes deliveries, so that their list is read again. */
	const turn = useSignal(0)
	const done = async (issued?: EndpointWithSecret) => {
		adding.value = false
		shown.value = issued
		turn.value++
		await endpoints.reload()
	}
	return (
		<div class="stack">
			<div class="row apart">
				<p class="soft">A webhook gets a signed POST when a run ends, or waits for a decision.</p>
				<Button
					kind="primary"
					icon="plus"
					onClick={() => {
						adding.value = true
					}}
				>
					Add webhook
				</Button>
			</div>
			<Shown of={endpoints}>
				{({ data }) =>
					data.length === 0 ? (
						<Empty title="No webhooks">
							<p>Add the address of a program of yours that is to be told of runs.</p>
						</Empty>
					) : (
						<>
							{data.map((endpoint) => (
								<EndpointCard key={endpoint.id} deployment={id} of={endpoint} onDone={done} />
							))}
							<Deliveries deployment={id} endpoints={data} turn={turn.value} />
						</>
					)
				}
			</Shown>
			{adding.value && (
				<NewEndpoint
					deployment={id}
					onDone={done}
					onClose={() => {
						adding.value = false
					}}
				/>
			)}
			{shown.value && (
				<SecretDialog
					title="Signing secret"
					secret={shown.value.secret}
					hint={`It verifies what ${shown.value.url} gets.`}
					onStored={() => {
						shown.value = undefined
					}}
				/>
			)}
		</div>
	)
}
