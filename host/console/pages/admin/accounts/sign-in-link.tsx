import { useSignal } from '@preact/signals'
import { useAction } from '../../../data/action.ts'
import { client } from '../../../data/client.ts'
import { Button } from '../../../parts/button.tsx'
import { Failure, Note } from '../../../parts/note.tsx'
import { Secret } from '../../../parts/secret.tsx'

export function SignInLink({ id }: { id: string }) {
	const link = useSignal<string | null>(null)
	const make = useAction(async () => {
		link.value = (await client.admin.signInLink(id)).sign_in_link
	})
	if (link.value === null)
		return (
			<div class="stack tight">
				<Failure of={make.error} />
				<div class="actions">
					<Button icon="link" busy={make.busy} onClick={make.run}>
						Make a sign-in link
					</Button>
				</div>
			</div>
		)
	return (
		<Note tone="warn">
			<p>The link works once, for a day. It is shown here only.</p>
			<Secret of={link.value} name="Sign-in link" />
		</Note>
	)
}
