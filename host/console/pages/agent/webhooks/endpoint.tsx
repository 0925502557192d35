import { useSignal } from '@preact/signals'
import type { Endpoint, EndpointWithSecret } from '../../../../owner/client/index.ts'
import { useAction } from '../../../data/action.ts'
import { client } from '../../../data/client.ts'
import { say } from '../../../data/said.ts'
import { Button } from '../../../parts/button.tsx'
import { Failure } from '../../../parts/note.tsx'
import { Card, Facts } from '../../../parts/page.tsx'
import { State } from '../../../parts/state.tsx'
import { Time } from '../../../parts/time.tsx'
import { EditEndpoint } from './edit-endpoint.tsx'
import { RemoveEndpoint } from './remove-endpoint.tsx'
import { RotateSecret } from './rotate-secret.tsx'

interface Props {
	deployment: string
	of: Endpoint
	/** With a secret that is to be shown. */
	onDone(issued?: EndpointWithSecret): Promise<void>
}

export function EndpointCard({ deployment, of: endpoint, onDone }: Props) {
	const { id, url, events, disabled_at, disabled_reason, failing_since, created_at } = endpoint
	const asked = useSignal<'edit' | 'rotate' | 'remove' | undefined>(undefined)
	const ping = useAction(async () => {
		await client.webhooks.ping(deployment, id)
		await onDone()
	})
	const switched = useAction(async () => {
		await client.webhooks.patch(deployment, id, { disabled: disabled_at === null })
		await onDone()
		say(disabled_at === null ? 'The webhook is disabled.' : 'The webhook is enabled.')
	})
	const ask = (what: 'edit' | 'rotate' | 'remove' | undefined) => {
		asked.value = what
	}
	const dialog = { deployment, endpoint, onClose: () => ask(undefined) }
	const done = async (issued?: EndpointWithSecret) => {
		ask(undefined)
		await onDone(issued)
	}
	return (
		<Card
			title={url}
			actions={
				<>
					<Button small busy={ping.busy} disabled={disabled_at !== null} onClick={() => ping.run()}>
						Ping
					</Button>
					<Button small onClick={() => ask('edit')}>
						Edit
					</Button>
					<Button small onClick={() => ask('rotate')}>
						Rotate secret
					</Button>
					<Button small busy={switched.busy} onClick={() => switched.run()}>
						{disabled_at ? 'Enable' : 'Disable'}
					</Button>
					<Button small onClick={() => ask('remove')}>
						Remove
					</Button>
				</>
			}
		>
			<Facts
				of={[
					['State', <State key="state" of={disabled_at ? 'disabled' : 'active'} />],
					...(disabled_reason ? [['Reason', disabled_reason] as [string, string]] : []),
					...(failing_since
						? ([['No delivery since', <Time key="failing" at={failing_since} />]] as [
								string,
								preact.JSX.Element,
							][])
						: []),
					['Told of', events?.join(', ') ?? 'every event'],
					['Added', <Time key="created" at={created_at} />],
				]}
			/>
			<Failure of={ping.error ?? switched.error} />
			{asked.value === 'edit' && <EditEndpoint {...dialog} onDone={done} />}
			{asked.value === 'rotate' && <RotateSecret {...dialog} onDone={done} />}
			{asked.value === 'remove' && <RemoveEndpoint {...dialog} onDone={done} />}
		</Card>
	)
}
