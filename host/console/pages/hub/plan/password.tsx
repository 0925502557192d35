import { useSignal } from '@preact/signals'
import type { Account } from '../../../../api/account.ts'
import { useAction } from '../../../data/action.ts'
import { bound } from '../../../data/bound.ts'
import { client } from '../../../data/client.ts'
import { Button } from '../../../parts/button.tsx'
import { TextField } from '../../../parts/field.tsx'
import { Failure, Note } from '../../../parts/note.tsx'
import { Card } from '../../../parts/page.tsx'

const fewestLetters = 12

/** Sets the first password, or another; the old one is asked for where there is one. */
export function PasswordCard({ has, changed }: { has: boolean; changed(account: Account): void }) {
	const old = useSignal('')
	const next = useSignal('')
	const done = useSignal(false)
	const change = useAction(async () => {
		changed(await client.account.setPassword(next.value, has ? old.value : undefined))
		old.value = ''
		next.value = ''
		done.value = true
	})
	const { '/current_password': wrong, '/password': weak } = change.faults
	return (
		<Card title={has ? 'Change password' : 'Set a password'}>
			<form
				class="form"
				onSubmit={(event) => {
					event.preventDefault()
					done.value = false
					void change.run()
				}}
			>
				{has && (
					<TextField
						label="Current password"
						type="password"
						autoComplete="current-password"
						{...bound(old)}
						fault={wrong}
					/>
				)}
				<TextField
					label="New password"
					type="password"
					autoComplete="new-password"
					hint={`${fewestLetters} characters or more.`}
					{...bound(next)}
					fault={weak}
				/>
				{!wrong && !weak && <Failure of={change.error} />}
				{done.value && (
					<Note tone="good">
						<p role="status">The password is set. Your other browsers are signed out.</p>
					</Note>
				)}
				<div class="actions">
					<Button type="submit" busy={change.busy} disabled={next.value.length < fewestLetters}>
						{has ? 'Change password' : 'Set password'}
					</Button>
				</div>
			</form>
		</Card>
	)
}
