/** The tools of a run: the functions its program declared, and those of its connectors that `requires` lists. */
import { compileSchema, SCREEN_TOOL, type Validate } from '../../../bundles/index.ts'
import type { ToolDefinition } from '../../wire/model.ts'
import { ConnectorError, type NamedTool, nameTools, type RemoteTool } from '../connectors/index.ts'
import type { Connector } from './bundle-cache.ts'
import { targetOf } from './connector.ts'
import { EffectRejection, RunAbandoned, RunFailure } from './failure.ts'
import { blocked, changedTools } from './lock.ts'
import { noSuchTool } from './no-such-tool.ts'
import { askedOfHost } from './retries.ts'
import type { Run } from './run.ts'
import type { ConnectorTool, ToolTable } from './tool-table.ts'

/** Connecting included; nothing has been spent by then. */
const LISTING_MS = 15_000

/** What one connector offers, with neutral words in place of a definition that was changed. */
interface Offer {
	url: string
	tools: RemoteTool[]
	changed: ReadonlySet<string>
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
		if (!definition) throw new EffectRejection('tool_missing', noSuchTool(name, definitions))
		return definition
	})
}

async function build(run: Run): Promise<ToolTable> {
	const { bundle, guest } = run
	const declared = [...guest.declared.values()].map(({ definition }) => definition)
	if (bundle.connectors.length === 0) return { definitions: declared, connector: new Map() }
	const offers = await Promise.all(bundle.connectors.map((connector) => listing(run, connector)))
	const named = nameTools(offers, guest.declared.keys())
	const tools = named.map((tool) => connectorTool(run, tool, offers))
	for (const tool of tools) if (tool.connector.settings.get(tool.name)?.screen) tool.screen = guardOf(tools)
	return {
		definitions: [...declared, ...named.map(({ definition }) => definition)],
		connector: new Map(tools.map((tool) => [tool.definition.name, tool])),
	}
}

/** There is one, or the bundle would have been refused. */
function guardOf(tools: ConnectorTool[]): ConnectorTool {
	const guard = tools.find(({ name }) => name === SCREEN_TOOL)
	if (!guard) throw new RunFailure('tool_missing', 'A tool is to be screened, and the agent has no guard.')
	return guard
}

async function listing(run: Run, connector: Connector): Promise<Offer> {
	try {
		const offer = await askedOfHost(run, connector.url, () => offered(run, connector, false))
		// What is remembered may be older than what the owner has accepted on another host.
		return offer.changed.size === 0 ? offer : await offered(run, connector, true)
	} catch (error) {
		if (!(error instanceof ConnectorError)) throw error
		if (run.handedOver && error.away) throw new RunAbandoned('the host stops')
		throw new RunFailure(error.code, error.message)
	}
}

async function offered(run: Run, connector: Connector, refresh: boolean): Promise<Offer> {
	const { url } = connector
	const options = { signal: run.abort.signal, timeoutMs: LISTING_MS, refresh }
	const { tools, missing } = await run.services.connectors.list(
		targetOf(run, connector),
		connector.tools,
		options,
	)
	if (missing.length > 0) {
		throw new RunFailure(
			'tool_missing',
			`${url} does not offer ${missing.join(', ')}, which the agent requires.`,
		)
	}
	const changed = await changedTools(run.services, run.begin.deployment, url, tools)
	return { url, tools: tools.map((tool) => (changed.has(tool.name) ? blocked(tool) : tool)), changed }
}

/** Asked again before each call, mostly from memory: a run may last longer than a definition. */
export async function hasChanged(run: Run, { connector, name, changed }: ConnectorTool): Promise<boolean> {
	if (changed) return true
	const differs = async (refresh: boolean) => {
		const options = { signal: run.abort.signal, timeoutMs: LISTING_MS, refresh }
		const { tools } = await run.services.connectors.list(targetOf(run, connector), [name], options)
		return (await changedTools(run.services, run.begin.deployment, connector.url, tools)).size > 0
	}
	return askedOfHost(run, connector.url, async () => (await differs(false)) && (await differs(true)))
}

function connectorTool(run: Run, { definition, url, tool }: NamedTool, offers: Offer[]): ConnectorTool {
	const connector = run.bundle.connectors.find((candidate) => candidate.url === url) as Connector
	const settings = connector.settings.get(tool.name)
	// The server's own hints count for nothing, but for the guard that this host serves itself.
	const trusted = url === run.services.guardUrl && (tool.readOnly || tool.idempotent)
	return {
		connector,
		name: tool.name,
		definition,
		validate: validatorOf(tool.input),
		validateResult: tool.output && validatorOf(tool.output),
		repeatable: settings?.idempotent === true || trusted,
		approval: settings?.approval === 'required',
		agent: tool.agent,
		screen: undefined,
		changed: offers.some((offer) => offer.url === url && offer.changed.has(tool.name)),
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
