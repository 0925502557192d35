import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Credential } from '../../../owner/client/index.ts'
import { Button } from '../button.tsx'
import { connected } from './channel.ts'
import type { Holder } from './upload.ts'

const size = 'popup,width=520,height=760'

interface SignInProps {
	holder: Pick<Holder, 'id'>
	credential: Credential
	changed(): Promise<void>
}

/** Opens the window that signs in, and hears from it when it is done. */
export function SignIn({ holder, credential, changed }: SignInProps) {
	const blocked = useSignal(false)
	const address = `/connect?${new URLSearchParams({ deployment: holder.id, credential: credential.name })}`
	useEffect(
		() =>
			connected.listen((done) => {
				if (done.deployment === holder.id && done.credential === credential.name) void changed()
			}),
		[holder.id, credential.name, changed],
	)
	return (
		<div class="sign-in">
			<div class="actions">
				<Button
					icon="external"
					onClick={() => {
						blocked.value = open(address, `berth-${credential.name}`, size) === null
					}}
				>
					{credential.state === 'ready' ? 'Sign in again' : 'Sign in'}
				</Button>
				<span class="hint">Opens a window; its tokens are encrypted in this browser.</span>
			</div>
			{credential.missing_scope && (
				<p class="small">
					The connector asked for more than it was allowed: <code>{credential.missing_scope}</code>. Signing
					in again asks for it as well.
				</p>
			)}
			{blocked.value && (
				<p class="small">
					The browser did not open a window.{' '}
					<a href={address} target="_blank" rel="noopener">
						Sign in in a new tab
					</a>
				</p>
			)}
		</div>
	)
}
