import type { DeploymentCard } from '../../api/runs.ts'
import type { KnownDeployment } from '../../deployments/index.ts'

/** `GET {deployment_url}`: what whoever runs the agent may know of it. */
export function cardOf({ name, agent, state, version, url }: KnownDeployment): DeploymentCard {
	return {
		name,
		description: agent.description || null,
		state,
		version,
		inputs: agent.inputs,
		output: agent.output ?? null,
		run_url: `${url}/run`,
	}
}
