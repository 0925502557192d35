import './credentials.css'
import { useSignal } from '@preact/signals'
import type { Credential } from '../../../owner/client/index.ts'
import { Button } from '../button.tsx'
import { Empty } from '../page.tsx'
import { State } from '../state.tsx'
import { Time } from '../time.tsx'
import { SecretEntry } from './secret-entry.tsx'
import { SignIn } from './sign-in.tsx'
import type { Holder } from './upload.ts'
import { placeOf, purposeOf, titleOf } from './words.ts'

interface ListProps {
	holder: Holder
	changed(): Promise<void>
}

/** What an agent needs to run: what each is for, where alone it is sent, its state, and a way to give or replace it. */
export function Credentials({ holder, changed }: ListProps) {
	if (holder.credentials.length === 0) return <Empty title="This agent needs no credentials" />
	return (
		<ul class="credentials">
			{holder.credentials.map((credential) => (
				<One key={credential.name} {...{ holder, credential, changed }} />
			))}
		</ul>
	)
}

function One({ holder, credential, changed }: ListProps & { credential: Credential }) {
	const replacing = useSignal(false)
	const { kind, state, aud, last_used_at, last_error, updated_at, version } = credential
	const there = state === 'ready'
	const close = () => {
		replacing.value = false
	}
	return (
		<li class="card" aria-label={titleOf(credential)}>
			<header>
				<h2>{titleOf(credential)}</h2>
				<State of={state} />
			</header>
			<div class="stack tight">
				<p class="soft">
					{purposeOf(holder, credential)} Sent to <code>{placeOf(aud)}</code> only.
				</p>
				{version > 0 && (
					<p class="small soft">
						Uploaded <Time at={updated_at} />,{' '}
						{last_used_at ? (
							<>
								used <Time at={last_used_at} />
							</>
						) : (
							'not used yet'
						)}
					</p>
				)}
				{last_error && (kind === 'oauth' || there) && <p class="fault small">{last_error}</p>}
				{kind === 'oauth' ? (
					<SignIn {...{ holder, credential, changed }} />
				) : there && !replacing.value ? (
					<div>
						<Button
							small
							onClick={() => {
								replacing.value = true
							}}
						>
							Replace
						</Button>
					</div>
				) : (
					<SecretEntry {...{ holder, credential, changed }} onClose={there ? close : undefined} />
				)}
			</div>
		</li>
	)
}
