import type { HostHandlers } from '../../runtime/supervisor/client.ts'
import type { Host } from '../context.ts'
import { credentialHandlers } from '../credentials/index.ts'
import { deploymentHandlers } from '../deployments/index.ts'
import { memoryHandlers } from '../memory/index.ts'
import { runHandlers } from '../runs/index.ts'
import { lockTools } from '../tools/index.ts'

/** Who answers what the runtime asks and tells. */
export function runtimeHandlers(host: Host): Pick<HostHandlers, 'calls' | 'notes'> {
	const deployments = deploymentHandlers(host)
	const credentials = credentialHandlers(host)
	return {
		calls: {
			...deployments.calls,
			...credentials.calls,
			'tools.lock': (args) => lockTools(host.sql, args),
			...memoryHandlers(host.sql).calls,
			...runHandlers(host).calls,
		},
		notes: {
			...deployments.notes,
			...credentials.notes,
			log: ({ level, message, data }) => host.log[level]({ ...data }, message),
		},
	}
}
