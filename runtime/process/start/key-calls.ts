import type { PeerHandlers } from '../../wire/peer.ts'
import type { RuntimeCalls, RuntimeNotes } from '../../wire/runtime-calls.ts'
import { createSealingKey, type Keyring, openSealed, openSealingKey, signWebhook } from '../keys/index.ts'

type Calls = PeerHandlers<RuntimeCalls, RuntimeNotes>['calls']

const opened: ReadonlySet<string> = new Set(['oauth', 'answer', 'sign_in'])

/** What the host may have done with keys. Nothing here answers with a credential, a webhook's secret or a key in clear. */
export function keyCalls(keys: Keyring) {
	return {
		'sealing_key.create': ({ deployment }) => createSealingKey(keys, deployment),
		async 'credential.check'({ deployment, sealing, name, aud, jwe }) {
			const key = openSealingKey(keys, deployment, sealing)
			const payload = await openSealed(jwe, sealing.kid, key, { deployment, name, aud })
			return { kind: payload.kind, scope: payload.kind === 'oauth' ? payload.grant.scope : null }
		},
		'secret.wrap': ({ purpose, plaintext }) => ({ wrapped: keys.wrap(purpose, Buffer.from(plaintext), []) }),
		'secret.unwrap': ({ purpose, wrapped }) => {
			// The type says so; a compromised host is not bound by it.
			if (!opened.has(purpose))
				throw Object.assign(new Error(`only ${[...opened].join(', ')} are ever opened`), { code: 'refused' })
			return { plaintext: keys.unwrap(purpose, wrapped, []).toString('utf8') }
		},
		'secret.rewrap': ({ items }) => ({
			wrapped: items.map(({ purpose, wrapped, belongs_to }) => keys.rewrap(purpose, wrapped, belongs_to)),
		}),
		'master_key.use': ({ check }) => {
			const before = keys.check()
			keys.use(check)
			return { held: keys.held(), before }
		},
		'webhook.sign': ({ wrapped, text }) => ({ signatures: signWebhook(keys, wrapped, text) }),
	} satisfies Partial<Calls>
}
