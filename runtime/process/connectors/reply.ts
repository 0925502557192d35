import type { CallToolResult } from '@modelcontextprotocol/client'
import type { ToolReply } from './types.ts'

/** What the model reads of a result. Only texts are for it; what is left out is named. */
export function replyOf(result: CallToolResult, maxBytes: number): ToolReply {
	const { structuredContent: structured } = result
	const texts = (result.content ?? []).map(textOf)
	const output = texts.length > 0 || structured === undefined ? texts.join('\n') : JSON.stringify(structured)
	const bytes = Buffer.byteLength(output) + (structured === undefined ? 0 : JSON.stringify(structured).length)
	if (bytes > maxBytes) return tooLarge(maxBytes)
	return { ok: result.isError !== true, output, ...(structured !== undefined && { structured }) }
}

export function tooLarge(maxBytes: number): ToolReply {
	return {
		ok: false,
		output: `The tool's result is too large: over the ${maxBytes} bytes allowed. Ask it for less.`,
	}
}

function textOf(item: CallToolResult['content'][number]): string {
	switch (item.type) {
		case 'text':
			return item.text
		case 'resource':
			return 'text' in item.resource ? item.resource.text : `[${item.resource.uri}: not a text]`
		case 'resource_link':
			return `[${item.name}: ${item.uri}]`
		default:
			return `[${item.type}: not a text]`
	}
}
