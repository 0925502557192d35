import type { HostHandlers } from '../../runtime/supervisor/client.ts'
import type { Host } from '../context.ts'
import { deploymentHandlers } from '../deployments/index.ts'
import { memoryHandlers } from '../memory/index.ts'
import { runHandlers } from '../runs/index.ts'

/** Who answers what the runtime asks and tells. */
export function runtimeHandlers(host: Host): Pick<HostHandlers, 'calls' | 'notes'> {
	const deployments = deploymentHandlers(host)
	return {
		calls: { ...deployments.calls, ...memoryHandlers(host.sql).calls, ...runHandlers(host).calls },
		notes: {
			...deployments.notes,
			log: ({ level, message, data }) => host.log[level]({ ...data }, message),
		},
	}
}
