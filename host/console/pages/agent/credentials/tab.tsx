import { Credentials } from '../../../parts/credentials/list.tsx'
import type { TabProps } from '../tabs.tsx'

/** State of each credential, and a new value for it. In use from the next call on. */
export default function CredentialsTab({ agent, changed }: TabProps) {
	return (
		<div class="form">
			<h2 class="visually-hidden">Credentials</h2>
			<p class="soft">
				A new value is in use from the next call on. What is stored is ciphertext that only the agent's
				runtime opens; nobody can read it back.
			</p>
			<Credentials holder={agent} changed={changed} />
		</div>
	)
}
