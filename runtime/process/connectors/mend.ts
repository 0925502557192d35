/**
 * A connector's answer before the client's schemas see it. The client refuses a whole answer for one odd member, and a
 * call so refused counts as one of unknown outcome. Here null stands for absent, what nobody reads is left out, and an
 * answer that still breaks MCP becomes a failed result that names the fault. No word of the server is in it.
 */
import { isJSONRPCErrorResponse, type StandardSchemaV1, specTypeSchemas } from '@modelcontextprotocol/client'

type Members = Record<string, unknown>

/** In `_meta` of a listed tool that cannot be used: why. */
export const TOOL_FAULT = 'berth/tool-fault'
/** A name of a server's that may be told: it says nothing else. */
export const KIND_NAME = /^[\w.-]{1,64}$/
const contents: Record<string, StandardSchemaV1> = {
	text: specTypeSchemas.TextContent,
	image: specTypeSchemas.ImageContent,
	audio: specTypeSchemas.AudioContent,
	resource: specTypeSchemas.EmbeddedResource,
	resource_link: specTypeSchemas.ResourceLink,
}

/** `message`: the response to a request of this method, as it was parsed. */
export function mendResponse(message: Members, method: string | undefined): Members {
	const { result, error } = message
	const head = { jsonrpc: message.jsonrpc, id: message.id }
	const mended = withoutNulls({ ...head, result, error })
	if (method === 'tools/call') {
		if (mended.error === undefined && 'result' in mended) mended.result = calledResult(mended.result)
		const isRefusal: boolean = isJSONRPCErrorResponse(mended)
		if (mended.error !== undefined && !isRefusal)
			return { ...head, result: broken('error: is no error of JSON-RPC') }
	}
	const { result: read } = mended
	if (!isMembers(read)) return mended
	if (method === 'tools/list') return { ...mended, result: listedTools(read) }
	const isHandshake = method === 'initialize' || method === 'server/discover'
	return isHandshake ? { ...mended, result: withoutNulls(read, true) } : mended
}

function calledResult(given: unknown): Members {
	if (!isMembers(given)) return broken('result: is no object')
	const result = withoutNulls(given)
	const isModern = result.resultType !== undefined
	// Any JSON may be one there.
	if (isModern && given.structuredContent === null) result.structuredContent = null
	// A result that does not say what it is, is complete (2026-07-28); the client would refuse it.
	result.resultType ??= 'complete'
	if (result.resultType !== 'complete') return result
	if (result.structuredContent !== undefined) result.content ??= []
	if (Array.isArray(result.content)) result.content = result.content.map(contentItem)
	const fault = resultFault(result, isModern)
	return fault === undefined ? result : broken(fault, result)
}

function contentItem(given: unknown): unknown {
	if (!isMembers(given)) return given
	// Nobody reads the rest, and a fault in it harms nobody.
	const { annotations: _, _meta: __, icons: ___, ...item } = withoutNulls(given, true)
	if (typeof item.type !== 'string' || contents[item.type]) return item
	return { type: 'text', text: KIND_NAME.test(item.type) ? `[${item.type}]` : '[content of an unknown kind]' }
}

function resultFault(
	{ content, isError, structuredContent, _meta }: Members,
	isModern: boolean,
): string | undefined {
	if (content !== undefined && !Array.isArray(content)) return 'content: is no list'
	// Where there is none, the client knows whether there has to be.
	for (const [i, item] of (content ?? []).entries()) {
		const schema = contents[item?.type]
		const fault = schema ? faultOf(schema, item, `content/${i}/`) : `content/${i}/type: is missing`
		if (fault) return fault
	}
	if (structuredContent !== undefined && !isModern && !isMembers(structuredContent))
		return 'structuredContent: is no object'
	if (isError !== undefined && typeof isError !== 'boolean') return 'isError: is neither true nor false'
	return _meta === undefined || isMembers(_meta) ? undefined : '_meta: is no object'
}

/** The tool was called, so the call has an outcome that is known. */
function broken(fault: string, { _meta }: Members = {}): Members {
	const text = `The tool was called, and its result is not as MCP has it (${fault}).`
	return {
		resultType: 'complete',
		isError: true,
		content: [{ type: 'text', text }],
		...(isMembers(_meta) && { _meta }),
	}
}

function listedTools(given: Members): Members {
	const result = withoutNulls(given)
	if (!Array.isArray(result.tools)) return result
	const isModern = result.resultType !== undefined
	// Today's revision wants both, and the listing is kept for a time of our own where they say nothing.
	if (!Number.isSafeInteger(result.ttlMs) || (result.ttlMs as number) < 0) result.ttlMs = 0
	if (result.cacheScope !== 'public') result.cacheScope = 'private'
	const named = result.tools.filter((tool) => isMembers(tool) && typeof tool.name === 'string')
	result.tools = named.map((tool) => listedTool(tool as Members, isModern))
	return result
}

/** All that is read of it. One that is broken stays in the list and says why: others of the server can be used. */
function listedTool(given: Members, isModern: boolean): Members {
	const { name, description, inputSchema, outputSchema, annotations, execution } = withoutNulls(given)
	const { readOnlyHint, idempotentHint } = isMembers(annotations) ? annotations : {}
	const tool = withoutUndefined({ name, description, inputSchema, outputSchema })
	const fault =
		faultOf(specTypeSchemas.Tool, tool, '') ??
		(isModern || !isMembers(outputSchema) || outputSchema.type === 'object'
			? undefined
			: 'outputSchema/type: is not "object"')
	if (fault) return { name, inputSchema: { type: 'object' }, _meta: { [TOOL_FAULT]: fault } }
	const needsTask = isMembers(execution) && execution.taskSupport === 'required'
	return {
		...tool,
		annotations: { readOnlyHint: readOnlyHint === true, idempotentHint: idempotentHint === true },
		...(needsTask && { execution: { taskSupport: 'required' } }),
	}
}

/** The first one, as `path: message`. The schemas' own words name types alone. */
function faultOf(schema: StandardSchemaV1, value: unknown, under: string): string | undefined {
	const checked = schema['~standard'].validate(value)
	// These schemas answer at once.
	if (checked instanceof Promise || !checked.issues) return undefined
	const [issue] = checked.issues
	const path = (issue?.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part))
	const known = path.slice(0, 2).filter((part) => KIND_NAME.test(part))
	return `${under}${known.join('/')}: ${issue?.message}`
}

const isMembers = (value: unknown): value is Members =>
	typeof value === 'object' && value !== null && !Array.isArray(value)

const withoutUndefined = (value: Members): Members =>
	Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined))

function withoutNulls(value: Members, deep = false): Members {
	const members = Object.entries(value).filter(([, item]) => item !== null && item !== undefined)
	return Object.fromEntries(
		deep ? members.map(([key, item]) => [key, isMembers(item) ? withoutNulls(item, true) : item]) : members,
	)
}
