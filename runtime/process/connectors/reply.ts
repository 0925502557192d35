import type { CallToolResult } from '@modelcontextprotocol/client'
import { SPENT, type Spent } from '../../wire/agent-calls.ts'
import type { ToolReply } from './types.ts'

/** In one result. */
const RESULT_FILES_MAX = 8

type ReplyFile = NonNullable<ToolReply['files']>[number]
type Item = CallToolResult['content'][number]

/** What the model reads of a result: its texts, and in the place of each file its name. */
export function replyOf(result: CallToolResult, maxBytes: number): ToolReply {
	const { structuredContent: structured } = result
	const spent = spentOf(result._meta?.[SPENT])
	const files: ReplyFile[] = []
	const texts = (result.content ?? []).map((item) => textOf(item, files))
	const output = texts.length > 0 || structured === undefined ? texts.join('\n') : JSON.stringify(structured)
	const bytes = Buffer.byteLength(output) + (structured === undefined ? 0 : JSON.stringify(structured).length)
	if (bytes > maxBytes) return { ...tooLarge(maxBytes), ...spent }
	return {
		ok: result.isError !== true,
		output,
		...(structured !== undefined && { structured }),
		...(files.length > 0 && { files }),
		...spent,
	}
}

function spentOf(given: unknown): Pick<ToolReply, 'spent'> {
	const { tokens, usd } = (given ?? {}) as Record<string, unknown>
	const isAmount = (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value >= 0
	const counted = Number.isSafeInteger(tokens) && isAmount(tokens)
	return counted && (usd === null || isAmount(usd)) ? { spent: { tokens, usd } as Spent } : {}
}

export function tooLarge(maxBytes: number): ToolReply {
	return {
		ok: false,
		output: `The tool's result is too large: over the ${maxBytes} bytes allowed. Ask it for less.`,
	}
}

function textOf(item: Item, files: ReplyFile[]): string {
	if (item.type === 'text') return item.text
	if (item.type === 'resource_link') return `[${item.name}: ${item.uri}]`
	if (item.type === 'resource' && 'text' in item.resource) return item.resource.text
	const file = fileOf(item, files.length + 1)
	if (!file) return `[${item.type}: not shown]`
	if (files.length >= RESULT_FILES_MAX)
		return `[${file.name}: not shown, as a result has ${RESULT_FILES_MAX} files at most]`
	files.push(file)
	return `[${item.type}: ${file.name}]`
}

function fileOf(item: Item, n: number): ReplyFile | undefined {
	if (item.type === 'resource') {
		const { resource } = item
		if (!('blob' in resource) || typeof resource.blob !== 'string') return undefined
		return { name: resource.uri, type: resource.mimeType ?? '', base64: resource.blob }
	}
	if ((item.type !== 'image' && item.type !== 'audio') || typeof item.data !== 'string') return undefined
	const type = String(item.mimeType)
	return { name: `${item.type}-${n}.${type.split('/')[1] ?? 'bin'}`, type, base64: item.data }
}
