import type { HostHandlers } from '../../runtime/supervisor/client.ts'
import { type FailParts, failDeployment } from './failed.ts'

/** What the runtime asks and tells about deployments. */
export function deploymentHandlers(parts: FailParts) {
	return {
		calls: {
			'bundle.get': async ({ digest }) => {
				const [row] = await parts.sql<{ bytes: Buffer }[]>`select bytes from bundles where digest = ${digest}`
				if (!row) throw Object.assign(new Error('The bundle is gone.'), { code: 'bundle_missing' })
				return row.bytes
			},
		},
		notes: {
			'sealing_key.unreadable': (note) => {
				failDeployment(parts, note).catch((error) =>
					parts.log.error({ err: error, deployment: note.deployment }, 'a failed deployment was not stored'),
				)
			},
		},
	} satisfies {
		calls: Pick<HostHandlers['calls'], 'bundle.get'>
		notes: Pick<HostHandlers['notes'], 'sealing_key.unreadable'>
	}
}
