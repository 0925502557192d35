import type { FastifyBaseLogger } from 'fastify'
import type { HostHandlers } from '../../runtime/supervisor/client.ts'
import { noteCredential } from './credentials.ts'
import { leaseCredential, releaseCredential, type SignInParts, storeCredential } from './sign-ins.ts'

/** What the runtime asks and tells about credentials. */
export function credentialHandlers(parts: SignInParts & { log: FastifyBaseLogger }) {
	return {
		calls: {
			'credential.lease': (args) => leaseCredential(parts, args),
			'credential.store': (args) => storeCredential(parts, args),
			'credential.release': (args) => releaseCredential(parts, args),
		},
		notes: {
			'credential.state': (note) => {
				noteCredential(parts, note).catch((error) =>
					parts.log.error(
						{ err: error, deployment: note.deployment },
						'the state of a credential was not stored',
					),
				)
			},
		},
	} satisfies {
		calls: Pick<HostHandlers['calls'], `credential.${'lease' | 'store' | 'release'}`>
		notes: Pick<HostHandlers['notes'], 'credential.state'>
	}
}
