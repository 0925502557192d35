import { setTimeout as sleep } from 'node:timers/promises'
import {
	type CallToolResult,
	type InputRequiredResult,
	isInputRequiredResult,
	ProtocolError,
	SdkHttpError,
	UrlElicitationRequiredError,
} from '@modelcontextprotocol/client'
import { ANSWER_MS, type Connection, listTools } from './connection.ts'
import { beyondUs, InsufficientScope, outcomeOf } from './failure.ts'
import { type CallTime, type OpenCall, openCall } from './open-calls.ts'
import { asksOf } from './question.ts'
import { replyOf } from './reply.ts'
import {
	type ConnectorCallOptions,
	ConnectorError,
	type RemoteTool,
	type Resumed,
	type ToolReply,
} from './types.ts'

/** A busy 2026-07-28 server may ask to be called again later, with nothing to be answered. */
const COME_BACK_MS = 1_000
const COME_BACK_TRIES = 10
/** A listing that a refusal makes necessary may take this long, however late the refusal comes. */
const LISTING_LEAST_MS = 1_000
/** Statuses by which a server refuses this request and not its caller. */
const REFUSED = new Set([400, 413, 422])
/** The server wants other headers than its listing said (2026-07-28). */
const HEADER_MISMATCH = -32_020

export async function callTool(
	connection: Connection,
	name: string,
	input: unknown,
	options: ConnectorCallOptions,
	{ maxBytes, time }: { maxBytes: number; time: CallTime },
): Promise<ToolReply> {
	if (listedTool(connection, name)?.needsTask)
		return failed(
			`${name} answers with a task of its own (MCP tasks) alone, which Berth cannot follow. It was not called.`,
		)
	const { resumed } = options
	const isModern = connection.client.getProtocolEra() === 'modern'
	if (!isModern && resumed?.answers.some(({ action }) => action !== 'accept'))
		return failed(`${name} wants its owner to visit an address first, who declined. It was not called again.`)
	const call = openCall(connection, options, time)
	try {
		const { meta } = options
		const result = await send(connection, call, {
			name,
			input,
			meta,
			resumed: isModern ? resumed : undefined,
		})
		return isInputRequiredResult(result) ? asking(name, result) : replyOf(result, maxBytes)
	} catch (error) {
		if (error instanceof UrlElicitationRequiredError) return asking(name, visits(error))
		// The sign-in serves the connector's other tools, so the run goes on (spec connect.missing-scope).
		if (error instanceof InsufficientScope)
			return { ...failed(`${name} was not executed: ${error.message}.`), spent: { tokens: 0, usd: 0 } }
		// The model may write what a server takes no request of: a forbidden name, too many bytes.
		if (error instanceof SdkHttpError && REFUSED.has(error.status) && outcomeOf(error) === 'protocol')
			return {
				...failed(`${name} was not executed: its server answered ${error.status}.`),
				spent: { tokens: 0, usd: 0 },
			}
		const beyond = beyondUs(error)
		if (beyond) return failed(`${name} ${beyond}`)
		if (!(error instanceof ProtocolError)) throw error
		if (await isGone(connection, name, call))
			throw new ConnectorError('tool_missing', 'missing', `${name} is not offered any more`)
		// The server's refusal is the tool's answer: the model may have used it wrongly. No agent has begun a run for it.
		return { ...failed(error.message), spent: { tokens: 0, usd: 0 } }
	} finally {
		call.end()
	}
}

/** A listing that fails says nothing of the tool, whose refusal is known. */
async function isGone(connection: Connection, name: string, call: OpenCall): Promise<boolean> {
	const listing = listTools(connection, [name], { ms: listingMs(call), refresh: true })
	const { missing } = await listing.catch(() => ({ missing: [] }))
	return missing.length > 0
}

const listingMs = (call: OpenCall) => Math.max(call.left(), LISTING_LEAST_MS)

/** The tool's result, or questions that need an answer before there is one. */
async function send(
	connection: Connection,
	call: OpenCall,
	{
		name,
		input,
		meta,
		resumed,
	}: Pick<ConnectorCallOptions, 'meta'> & {
		name: string
		input: unknown
		resumed: Resumed | undefined
	},
): Promise<CallToolResult | InputRequiredResult> {
	const given = {
		name,
		arguments: (input ?? {}) as Record<string, unknown>,
		...(meta && { _meta: meta }),
	}
	let params: CallParams = { ...given, ...(resumed && goingOn(resumed)) }
	for (let tries = 1; ; tries++) {
		const result = await request(connection, call, params)
		const { inputRequests, requestState } = result as InputRequiredResult
		const comesBack = isInputRequiredResult(result) && Object.keys(inputRequests ?? {}).length === 0
		if (!comesBack || tries === COME_BACK_TRIES) return result
		params = { ...given, ...(requestState !== undefined && { requestState }) }
		await sleep(COME_BACK_MS, undefined, { signal: call.signal }).catch(() => call.signal.throwIfAborted())
	}
}

function listedTool({ listed }: Connection, name: string): RemoteTool | undefined {
	const tool = listed?.tools.get(name)
	return typeof tool === 'string' ? undefined : tool
}

interface CallParams {
	name: string
	arguments: Record<string, unknown>
	[more: string]: unknown
}

const goingOn = ({ answers, state }: Resumed) => ({
	inputResponses: Object.fromEntries(answers.map(({ key, ...answer }) => [key, answer])),
	...(state !== undefined && { requestState: state }),
})

async function request(
	connection: Connection,
	call: OpenCall,
	params: CallParams,
): Promise<CallToolResult | InputRequiredResult> {
	const known = listedTool(connection, params.name)
	// The engine checks results. The client would take a question for a result that lacks its structured content.
	const toolDefinition = known?.output && { name: known.name, inputSchema: known.input as { type: 'object' } }
	const options = {
		signal: call.signal,
		// The call's own signal keeps its time.
		timeout: ANSWER_MS,
		allowInputRequired: true,
		relatedRequestId: call.id,
		...(toolDefinition && { toolDefinition }),
	}
	try {
		return await connection.client.callTool(params, options)
	} catch (error) {
		if (!toolDefinition || !(error instanceof ProtocolError) || error.code !== HEADER_MISMATCH) throw error
		const bounds = { ms: listingMs(call), refresh: true }
		const { tools } = await listTools(connection, [params.name], bounds).catch(() => Promise.reject(error))
		const inputSchema = (tools[0] ?? known).input as { type: 'object' }
		return await connection.client.callTool(params, {
			...options,
			toolDefinition: { ...toolDefinition, inputSchema },
		})
	}
}

/** An older server wants addresses visited before it is called at all. */
const visits = ({ elicitations }: UrlElicitationRequiredError): InputRequiredResult => ({
	resultType: 'input_required',
	inputRequests: Object.fromEntries(
		elicitations.map((params, i) => [String(i), { method: 'elicitation/create' as const, params }]),
	),
})

function asking(name: string, result: InputRequiredResult): ToolReply {
	const asks = asksOf(result)
	if (typeof asks !== 'string' && asks.questions.length > 0)
		return { ...failed(`${name} asks a person in the middle of its call, and nobody was asked.`), asks }
	const what = typeof asks === 'string' ? asks : 'another call, again and again,'
	return failed(
		`${name} asks for ${what} in the middle of its call. Berth cannot give it, and did not go on with the call.`,
	)
}

const failed = (output: string): ToolReply => ({ ok: false, output })
