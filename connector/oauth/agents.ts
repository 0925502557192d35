import type { ConnectorDeps } from '../deps.ts'

/** What a token for an agent's MCP server holds. Never asked for by name: a resource has one scope. */
export const agentScope = 'run'

export interface AgentAsked {
	/** Null: the account may not let anyone run it, or it is not there. */
	name: string | null
}

/** Of a consent: null where none of the resources is an agent's. */
export async function agentAsked(
	agents: ConnectorDeps['agents'],
	resources: string[],
	accountId: string,
): Promise<AgentAsked | null> {
	const resource = resources.find((one) => agents?.isAddress(one))
	if (!agents || resource === undefined) return null
	const found = await agents.find(resource)
	return { name: found?.accountId === accountId ? found.name : null }
}
