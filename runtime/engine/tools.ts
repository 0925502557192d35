/** The tools of a run: the functions its program declared, and those of its connectors that `requires` lists. */
import { compileSchema, type Validate } from '../../bundles/index.ts'
import { ConnectorError, type NamedTool, nameTools } from '../connectors/index.ts'
import type { ToolDefinition } from '../providers/index.ts'
import type { Connector } from './bundle-cache.ts'
import { targetOf } from './connector.ts'
import { EffectRejection, RunFailure } from './failure.ts'
import type { Run } from './run.ts'

/** Connecting included; nothing has been spent by then. */
const LISTING_MS = 15_000

export interface ConnectorTool {
	connector: Connector
	/** The server's own name for it. */
	name: string
	definition: ToolDefinition
	validate: Validate
	/** It may be called again when nobody knows whether it was called. */
	repeatable: boolean
	approval: boolean
}

export interface ToolTable {
	definitions: ToolDefinition[]
	/** By the name the model uses. */
	connector: Map<string, ConnectorTool>
}

/** Asked for when the first model or tool call needs it; `tools.declare` comes before. */
export function toolsOf(run: Run): Promise<ToolTable> {
	run.guest.tools ??= build(run)
	return run.guest.tools
}

/** Those named, or all. */
export async function definitionsOf(run: Run, names: string[] | undefined): Promise<ToolDefinition[]> {
	if (names?.length === 0) return []
	const { definitions } = await toolsOf(run)
	if (!names) return definitions
	return names.map((name) => {
		const definition = definitions.find((candidate) => candidate.name === name)
		if (!definition) throw new EffectRejection('tool_missing', `The agent has no tool named ${name}.`)
		return definition
	})
}

async function build(run: Run): Promise<ToolTable> {
	const { bundle, guest } = run
	const declared = [...guest.declared.values()].map(({ definition }) => definition)
	if (bundle.connectors.length === 0) return { definitions: declared, connector: new Map() }
	const offers = await Promise.all(bundle.connectors.map((connector) => listing(run, connector)))
	const named = nameTools(offers, guest.declared.keys())
	return {
		definitions: [...declared, ...named.map(({ definition }) => definition)],
		connector: new Map(named.map((tool) => [tool.definition.name, connectorTool(run, tool)])),
	}
}

async function listing(run: Run, connector: Connector) {
	const { connectors } = run.services
	const options = { signal: run.abort.signal, timeoutMs: LISTING_MS }
	try {
		const { tools, missing } = await connectors.list(targetOf(run, connector), connector.tools, options)
		if (missing.length > 0) {
			throw new RunFailure(
				'tool_missing',
				`${connector.url} does not offer ${missing.join(', ')}, which the agent requires.`,
			)
		}
		return { url: connector.url, tools }
	} catch (error) {
		if (error instanceof ConnectorError) throw new RunFailure(error.code, error.message, { cause: error })
		throw error
	}
}

function connectorTool(run: Run, { definition, url, tool }: NamedTool): ConnectorTool {
	const connector = run.bundle.connectors.find((candidate) => candidate.url === url) as Connector
	const settings = connector.settings.get(tool.name)
	// The server's own hints count for nothing, but for the guard that this host serves itself.
	const trusted = url === run.services.guardUrl && (tool.readOnly || tool.idempotent)
	return {
		connector,
		name: tool.name,
		definition,
		validate: validatorOf(tool.input),
		repeatable: settings?.idempotent === true || trusted,
		approval: settings?.approval === 'required',
	}
}

/** Listings are kept between runs, and so are their schemas' validators: finding one by digest costs more than it saves. */
const validators = new WeakMap<object, Validate>()

function validatorOf(schema: object): Validate {
	let validate = validators.get(schema)
	if (!validate) {
		validate = compileSchema(schema)
		validators.set(schema, validate)
	}
	return validate
}
