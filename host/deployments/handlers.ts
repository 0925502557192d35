import type { HostHandlers } from '../../runtime/supervisor/client.ts'
import type { Host } from '../context.ts'
import { noteCredential } from '../credentials/credentials.ts'
import { leaseCredential, releaseCredential, storeCredential } from '../credentials/sign-ins.ts'
import { lockTools } from '../tools/tools.ts'
import { failDeployment } from './failed.ts'

/** What the runtime asks and tells about deployments. */
export function deploymentHandlers(host: Host) {
	return {
		calls: {
			'bundle.get': async ({ digest }) => {
				const [row] = await host.sql<{ bytes: Buffer }[]>`select bytes from bundles where digest = ${digest}`
				if (!row) throw Object.assign(new Error('The bundle is gone.'), { code: 'bundle_missing' })
				return { base64: row.bytes.toString('base64') }
			},
			'credential.lease': (args) => leaseCredential(host, args),
			'credential.store': (args) => storeCredential(host, args),
			'credential.release': (args) => releaseCredential(host, args),
			'tools.lock': (args) => lockTools(host, args),
		},
		notes: {
			'sealing_key.unreadable': (note) => {
				failDeployment(host, note).catch((error) =>
					host.log.error({ err: error, deployment: note.deployment }, 'a failed deployment was not stored'),
				)
			},
			'credential.state': (note) => {
				noteCredential(host, note).catch((error) =>
					host.log.error(
						{ err: error, deployment: note.deployment },
						'the state of a credential was not stored',
					),
				)
			},
		},
	} satisfies {
		calls: Pick<
			HostHandlers['calls'],
			'bundle.get' | `credential.${'lease' | 'store' | 'release'}` | 'tools.lock'
		>
		notes: Pick<HostHandlers['notes'], 'credential.state' | 'sealing_key.unreadable'>
	}
}
