/** What the model was sent, from the effects that a replay asked for: the journal holds their digests alone. */

import type { ToolDefinition } from '../../wire/model.ts'
import type { Asked, AskedOfModel, LockedTool } from '../../wire/replay.ts'
import { nameTools } from '../connectors/index.ts'
import type { LoadedBundle } from './bundle-cache.ts'

/** Of all calls together: a conversation is sent again with every one. Those past it are left out. */
const MAX_CHARS = 24 * 1024 * 1024

/** Connector tools are shown as they are locked now. A call that never got as far as the model is among the answers, too. */
export function askedOfModel(
	asked: readonly Asked[],
	{ connectors }: Pick<LoadedBundle, 'connectors'>,
	locked: readonly LockedTool[],
): AskedOfModel[] {
	const definitions = definitionsOf(asked, connectors, locked)
	const calls: AskedOfModel[] = []
	let left = MAX_CHARS
	for (const [i, { method, args }] of asked.entries()) {
		if (method !== 'model') continue
		const { system, messages, tools: names, parameters, options, output } = JSON.parse(args) as ModelArguments
		const tools = Array.isArray(names)
			? names.flatMap((name) => definitions.filter((tool) => tool.name === name))
			: definitions
		left -= args.length + JSON.stringify(tools).length
		if (left < 0) break
		calls.push({
			call: i + 1,
			system: String(system ?? ''),
			messages: Array.isArray(messages) ? messages : [],
			tools,
			...(parameters && { parameters }),
			...(options && { options }),
			...(output && { output }),
		})
	}
	return calls
}

/** As a program sent them. */
interface ModelArguments {
	system?: unknown
	messages?: unknown
	tools?: unknown
	parameters?: object
	options?: object
	output?: object
}

/** As the engine lists them: the program's own, then those of its connectors. */
function definitionsOf(
	asked: readonly Asked[],
	connectors: LoadedBundle['connectors'],
	locked: readonly LockedTool[],
): ToolDefinition[] {
	const declared = asked.find(({ method }) => method === 'tools.declare')
	const own = declared ? (JSON.parse(declared.args) as { tools: ToolDefinition[] }).tools : []
	const offers = connectors.map(({ url, tools }) => ({
		url,
		tools: tools.flatMap((name) => {
			const lock = locked.find((one) => one.connector === url && one.name === name)
			return lock ? [{ name, ...lock.definition }] : []
		}),
	}))
	const named = nameTools(
		offers,
		own.map(({ name }) => name),
	)
	return [...own, ...named.map(({ definition }) => definition)]
}
