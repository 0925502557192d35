/** The tools of connectors that a run may call. */
import type { Validate } from '../../../bundles/index.ts'
import type { ToolDefinition } from '../../wire/model.ts'
import type { Connector } from './bundle-cache.ts'

export interface ConnectorTool {
	connector: Connector
	/** The server's own name for it. */
	name: string
	definition: ToolDefinition
	validate: Validate
	/** Of its structured results, as they were locked. */
	validateResult: Validate | undefined
	/** It may be called again when a call's outcome is unknown: `idempotent` in agent.yaml, or a hint of this host's guard. */
	repeatable: boolean
	approval: boolean
	/** Its server is an agent, which is told what it may use. */
	agent: boolean
	/** Its results are shown to this tool of the agent's guard first. */
	screen: ConnectorTool | undefined
	/** It is not what was locked: it is not called. */
	changed: boolean
}

export interface ToolTable {
	definitions: ToolDefinition[]
	/** By the name the model uses. */
	connector: Map<string, ConnectorTool>
}
