import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type Credential, type Deployment, finishConnect } from '../../../owner/client/index.ts'
import { useAction } from '../../data/action.ts'
import { client } from '../../data/client.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { connected } from '../../parts/credentials/channel.ts'
import { sealAndUpload } from '../../parts/credentials/upload.ts'
import { Failure } from '../../parts/note.tsx'
import { Page, Skeleton } from '../../parts/page.tsx'
import { isUnread, OtherWay } from './page.tsx'
import { type PutAway, takeOut } from './put-away.ts'

interface Signed {
	deployment: Deployment
	credential: Credential
}

/** The address loses the code, and the storage the verifier, before anything else happens. */
function begun(): { answer: URLSearchParams; putAway: PutAway | null } {
	const answer = new URLSearchParams(location.search)
	history.replaceState(null, '', location.pathname)
	return { answer, putAway: takeOut() }
}

/** `/connect/callback`: takes the code, gets the tokens, seals them and uploads the ciphertext. */
export default function Callback() {
	const looked = useRef(false)
	const signed = useSignal<Signed | undefined>(undefined)
	const finish = useAction(async () => {
		const { answer, putAway } = begun()
		if (!putAway) throw new Error('No sign-in was begun in this window, or it has ended already.')
		const deployment = await client.deployments.get(putAway.deployment)
		const credential = deployment.credentials.find(({ name }) => name === putAway.credential)
		if (!credential) throw new Error(`${deployment.name} no longer needs this sign-in.`)
		signed.value = { deployment, credential }
		await sealAndUpload(deployment, credential, await finishConnect(putAway.pending, answer))
		connected.tell({ deployment: deployment.id, credential: credential.name })
		close()
	})
	useEffect(() => {
		if (looked.current) return
		looked.current = true
		void finish.run()
	})
	if (finish.error) return <NotSigned error={finish.error} at={signed.value} />
	if (finish.busy || !signed.value)
		return (
			<Page title="Signing in" lead="Encrypting the tokens in this window …">
				<Skeleton />
			</Page>
		)
	return (
		<Page
			title="Signed in"
			lead={`${signed.value.deployment.name} can use it now. You can close this window.`}
		>
			<Button kind="primary" onClick={() => close()}>
				Close
			</Button>
		</Page>
	)
}

function NotSigned({ error, at }: { error: unknown; at: Signed | undefined }) {
	const again = at && new URLSearchParams({ deployment: at.deployment.id, credential: at.credential.name })
	return (
		<Page title="Not signed in">
			<Failure of={error} next={at && isUnread(error) && <OtherWay error={error} {...at} />} />
			<div class="actions">
				{again && (
					<LinkButton kind="primary" href={`/connect?${again}`}>
						Begin again
					</LinkButton>
				)}
				<Button onClick={() => close()}>Close</Button>
			</div>
		</Page>
	)
}
