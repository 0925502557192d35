import { Client, type Tool } from '@modelcontextprotocol/client'
import type { Egress } from '../../egress/index.ts'
import { AGENT } from '../../wire/agent-calls.ts'
import { type ConnectionCredential, createCredential } from './credential.ts'
import { connectorError } from './failure.ts'
import { answerQuestions, type OpenCalls } from './open-calls.ts'
import { remoteTool } from './remote-tool.ts'
import { type Wait, waitFor } from './shared.ts'
import { HttpTransport } from './transport.ts'
import { ConnectorError, type ConnectorTarget, type RemoteTool, type ToolListing } from './types.ts'

export interface Connection {
	client: Client
	credential: ConnectionCredential
	/** What the server offers, until then. */
	listed: Listed | undefined
	/** One at a time, for all who wait for it. */
	listing: Promise<Listed> | undefined
	/** Tool calls under way. */
	calls: OpenCalls
	close(): Promise<void>
}

interface Listed {
	tools: Map<string, RemoteTool | string>
	/** It offers more than are read. */
	cut: boolean
	until: number
}

export interface ConnectionOptions {
	egress: Egress
	target: ConnectorTarget
	timeoutMs: number
	/** Of one answer of the server. */
	maxBytes: number
	/** Event streams that may still be opened. Each holds a socket for as long as its connection is kept. */
	streams: { free: number }
}

/** Of a listing whose server names no time, or none that could be kept. */
const LISTING_MS = 60_000
const LISTING_MAX_MS = 60 * 60_000
/** Of each page of a listing, whoever waits for it and however long. */
const PAGE_MS = 15_000
/** Longest wait for an answer to begin; each call has its own, shorter bound. */
export const ANSWER_MS = 3_600_000
const MAX_TOOLS = 1_000

/** Results are checked by the engine, under its bounds: a schema of a stranger's is never compiled to code here. */
const jsonSchemaValidator = {
	getValidator:
		<T>() =>
		(input: unknown) => ({ valid: true as const, data: input as NonNullable<T>, errorMessage: undefined }),
}

export async function openConnection(options: ConnectionOptions): Promise<Connection> {
	const { egress, target, timeoutMs, maxBytes, streams } = options
	// Without one, a change is seen when the listing's time is over.
	const events = streams.free > 0
	if (events) streams.free--
	const release = () => {
		if (events) streams.free++
	}
	const credential = createCredential(target)
	const transport = new HttpTransport({
		egress,
		url: target.url,
		credential,
		maxBytes,
		answerMs: ANSWER_MS,
		events,
	})
	const client = new Client(
		{ name: 'berth', version: '0.1.0' },
		{
			jsonSchemaValidator,
			versionNegotiation: { mode: 'auto', probe: { timeoutMs } },
			capabilities: { elicitation: { form: {}, url: {} } },
			// A person may take days to answer: the engine makes the call again with the answers.
			inputRequired: { autoFulfill: false },
		},
	)
	const connection: Connection = {
		client,
		credential,
		listed: undefined,
		listing: undefined,
		calls: new Map(),
		async close() {
			await transport.endSession()
			await client.close().finally(release)
		},
	}
	answerQuestions(connection, transport)
	try {
		await client.connect(transport, { timeout: timeoutMs })
	} catch (error) {
		await client.close().catch(() => {})
		release()
		// Whatever happened, no tool was called.
		throw connectorError(error, target, credential, 'unreachable')
	}
	if (events) watchChanges(connection)
	return connection
}

/** 2025 servers tell of changes unasked; today's are asked to, without anyone waiting for it. */
function watchChanges(connection: Connection): void {
	const { client } = connection
	if (!client.getServerCapabilities()?.tools?.listChanged) return
	client.setNotificationHandler('notifications/tools/list_changed', () => {
		if (connection.listed) connection.listed.until = 0
	})
	if (client.getProtocolEra() === 'modern') client.listen({ toolsListChanged: true }).catch(() => {})
}

export async function listTools(
	connection: Connection,
	wanted: string[],
	{ refresh, ...wait }: Wait & { refresh?: boolean },
): Promise<ToolListing> {
	let { listed } = connection
	if (!listed || listed.until <= performance.now() || refresh) {
		connection.listing ??= fetchTools(connection).finally(() => {
			connection.listing = undefined
		})
		listed = await waitFor(connection.listing, wait)
	}
	const tools: RemoteTool[] = []
	const missing: string[] = []
	for (const name of wanted) {
		const tool = listed.tools.get(name)
		if (tool === undefined && listed.cut) throw new ConnectorError('tool_missing', 'missing', beyond(name))
		else if (tool === undefined) missing.push(name)
		else if (typeof tool === 'string') throw new ConnectorError('connector_unavailable', 'protocol', tool)
		else tools.push(tool)
	}
	return { tools, missing }
}

async function fetchTools(connection: Connection): Promise<Listed> {
	const result = await connection.client.listTools(undefined, { timeout: PAGE_MS, cacheMode: 'refresh' })
	const tools = result.tools.slice(0, MAX_TOOLS).map((tool) => [tool.name, known(connection, tool)] as const)
	const cut = result.tools.length > MAX_TOOLS
	connection.listed = { tools: new Map(tools), cut, until: performance.now() + freshMs(result.ttlMs) }
	return connection.listed
}

const beyond = (name: string) =>
	`${name} is not among the first ${MAX_TOOLS} tools that its connector lists, and no more are read; ask who runs it for an address with fewer tools`

/** Unchanged tools stay the same objects, and with them everything that others have made of their schemas. */
function known(connection: Connection, tool: Tool): RemoteTool | string {
	const next = remoteTool(tool, isAgent(connection))
	const before = connection.listed?.tools.get(tool.name)
	if (typeof before !== 'object' || typeof next === 'string') return next
	const same =
		before.hash === next.hash &&
		before.readOnly === next.readOnly &&
		before.needsTask === next.needsTask &&
		before.idempotent === next.idempotent
	return same ? before : next
}

const isAgent = ({ client }: Connection) =>
	client.getServerCapabilities()?.experimental?.[AGENT] !== undefined

function freshMs(ttlMs: unknown): number {
	return typeof ttlMs === 'number' && ttlMs > 0 ? Math.min(ttlMs, LISTING_MAX_MS) : LISTING_MS
}
