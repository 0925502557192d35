/**
 * Tool lock (spec connector.lock): what a connector offered first is what the owner agreed to. A tool whose definition
 * differs later is neither shown to the model as it now is, nor called, until the owner accepts the difference.
 */

import type { ToolDefinition } from '../../wire/connectors.ts'
import type { RemoteTool } from '../connectors/index.ts'
import type { Services } from './services.ts'

/** What the model is shown in place of a definition that nobody has accepted. */
const BLOCKED_SCHEMA = { type: 'object' }
const BLOCKED_DESCRIPTION =
	'Not available: its definition has changed at the connector, and the owner of this agent has not accepted that yet.'

const TASK_WARNING =
	'Its calls fail: it answers with a task of its own (MCP tasks) alone, which Berth cannot follow.'

/** `lock`: the digest that it was locked by. */
export function definitionOf(
	services: Services,
	url: string,
	tool: RemoteTool,
	lock: string | undefined,
): ToolDefinition {
	const { name, description, input, output, needsTask, agent } = tool
	return {
		name,
		hash: digestBy(services, url, tool, lock),
		definition: { name, description, input, ...(output && { output }), ...(agent && { agent }) },
		...(needsTask && { warning: TASK_WARNING }),
	}
}

/**
 * For the guard of this very host only the schemas count, so that an upgrade blocks no agent; an agent of this place may
 * have been locked before it counted that it is one. A lock says by itself which of them it is of: hosts of one database
 * may have different addresses, and another one's guard is a stranger here.
 */
function digestBy(
	{ guardUrl, ownAgents }: Services,
	url: string,
	{ hash, plainHash, schemaHash }: RemoteTool,
	lock: string | undefined,
): string {
	if (lock === hash || lock === schemaHash) return lock
	if (lock === plainHash && ownAgents?.test(url)) return lock
	return url === guardUrl ? schemaHash : hash
}

/** Locks tools that have no lock yet; answers with the names of those that are not what was locked. */
export async function changedTools(
	services: Services,
	deployment: string,
	url: string,
	tools: readonly RemoteTool[],
): Promise<ReadonlySet<string>> {
	const { credentials, host } = services
	let locks = credentials.locks(deployment, url)
	const unlocked = tools.filter(({ name }) => locks[name] === undefined)
	if (unlocked.length > 0) {
		const wanted = unlocked.map((tool) => definitionOf(services, url, tool, undefined))
		const answer = await host.call('tools.lock', { deployment, connector: url, tools: wanted })
		credentials.setLocks(deployment, url, answer.locks)
		locks = answer.locks
	}
	const changed = tools.filter((tool) => {
		const lock = locks[tool.name]
		return lock !== digestBy(services, url, tool, lock)
	})
	return new Set(changed.map(({ name }) => name))
}

export function blocked(tool: RemoteTool): RemoteTool {
	const { output: _, ...rest } = tool
	return { ...rest, description: BLOCKED_DESCRIPTION, input: BLOCKED_SCHEMA }
}

export function blockedMessage(name: string, url: string): string {
	return `tool_changed: the definition of ${name} at ${url} is not the one that was locked. It was not called. Its owner can look at the difference and accept it with \`berth tools\`.`
}
