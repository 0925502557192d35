import type { Signal } from '@preact/signals'
import type { Action } from '../../../data/action.ts'
import { Button } from '../../../parts/button.tsx'
import { Failure } from '../../../parts/note.tsx'
import { SecretDialog } from '../../../parts/secret.tsx'

interface Props {
	email: string
	link: Signal<string | null>
	make: Action<[]>
}

export function SignInLink({ email, link, make }: Props) {
	return (
		<div class="stack tight">
			<Failure of={make.error} />
			<div class="actions">
				<Button icon="link" busy={make.busy} onClick={make.run}>
					Make a sign-in link
				</Button>
			</div>
			{link.value !== null && (
				<SecretDialog
					title={`Sign-in link of ${email}`}
					secret={link.value}
					hint="It works once, for a day. Send it to the person."
					onStored={() => {
						link.value = null
					}}
				/>
			)}
		</div>
	)
}
