/** Content blocks of an Anthropic answer: as they are read, kept and sent back. */
import type {
	CitationWebSearchResultLocationParam,
	ContentBlock,
	RedactedThinkingBlock,
	RedactedThinkingBlockParam,
	ServerToolUseBlockParam,
	TextBlock,
	TextBlockParam,
	TextCitation,
	ThinkingBlock,
	ThinkingBlockParam,
	ToolUseBlock,
	ToolUseBlockParam,
	WebSearchResultBlockParam,
	WebSearchToolResultBlock,
	WebSearchToolResultBlockParam,
	WebSearchToolResultErrorCode,
} from '@anthropic-ai/sdk/resources/messages/messages'
import { SEARCH_TOOL } from '../../../bundles/index.ts'
import type { ToolCall } from '../../wire/model.ts'
import type { SentCalls } from './sent-calls.ts'
import { sentInput } from './tool-input.ts'
import { type Loose, objectsIn } from './wire.ts'

export type KeptBlock =
	| TextBlockParam
	| ThinkingBlockParam
	| RedactedThinkingBlockParam
	| ToolUseBlockParam
	| ServerToolUseBlockParam
	| WebSearchToolResultBlockParam

/** An answer that is accepted only as it was, block by block: with thinking or the provider's own search in it. */
export interface Kept {
	blocks?: KeptBlock[]
}

/** A content block as it is put together from its deltas. */
export type ReadBlock = Partial<
	Pick<TextBlock, 'text'> &
		Pick<ToolUseBlock, 'id' | 'name' | 'input'> &
		Pick<ThinkingBlock, 'thinking' | 'signature'> &
		Pick<RedactedThinkingBlock, 'data'> &
		Pick<WebSearchToolResultBlock, 'tool_use_id' | 'content'> & { caller: { type: string } }
> & {
	type: ContentBlock['type']
	citations?: Loose<TextCitation>[] | null
	/** Text of the input so far. */
	json?: string
}

export function toolUse({ id, name, input }: ToolCall): ToolUseBlockParam {
	return { type: 'tool_use', id, name, input: sentInput(input) }
}

/** Of an answer as it goes back. */
export function sentBlocks(blocks: KeptBlock[], calls: SentCalls): KeptBlock[] {
	return blocks.map((block) =>
		block.type === 'tool_use' ? { ...block, ...calls.made(block.id, block.name) } : block,
	)
}

/** What comes back has been in the guest's hands: only what is known is taken from it, member by member. */
export function keptBlock(block: Loose<ReadBlock>): KeptBlock[] {
	const { type } = block
	if (type === 'text') return block.text ? [keptText(block)] : []
	if (type === 'thinking') {
		return [{ type, thinking: String(block.thinking ?? ''), signature: String(block.signature ?? '') }]
	}
	if (type === 'redacted_thinking') return [{ type, data: String(block.data) }]
	if (type === 'web_search_tool_result') return [keptResult(block)]
	const input = sentInput(block.input)
	if (type === 'tool_use') return [{ type, id: String(block.id), name: String(block.name), input }]
	if (type !== 'server_tool_use' || block.name !== SEARCH_TOOL) return []
	return [{ type, id: String(block.id), name: SEARCH_TOOL, input, ...callerOf(block) }]
}

const callerOf = ({ caller }: Loose<ReadBlock>) =>
	caller?.type === 'direct' && { caller: { type: 'direct' as const } }

/** Citations of files are for readers alone; those of web search, the next answer may go on from. */
function keptText({ text, citations }: Loose<ReadBlock>): TextBlockParam {
	const ofSearch = objectsIn(citations).flatMap((cited): CitationWebSearchResultLocationParam[] => {
		const { type } = cited
		if (type !== 'web_search_result_location') return []
		const { cited_text, encrypted_index, title = null, url } = cited
		return [
			{
				...{ type, url: String(url), title, cited_text: String(cited_text) },
				encrypted_index: String(encrypted_index),
			},
		]
	})
	return { type: 'text', text: String(text), ...(ofSearch.length > 0 && { citations: ofSearch }) }
}

function keptResult(block: Loose<ReadBlock>): WebSearchToolResultBlockParam {
	const { content } = block
	return {
		type: 'web_search_tool_result',
		tool_use_id: String(block.tool_use_id),
		content: Array.isArray(content)
			? objectsIn(content).map((page): WebSearchResultBlockParam => {
					const { title, url, encrypted_content, page_age } = page
					return {
						...{ type: 'web_search_result', title: String(title), url: String(url) },
						...{ encrypted_content: String(encrypted_content), ...(page_age !== undefined && { page_age }) },
					}
				})
			: { type: 'web_search_tool_result_error', error_code: codeOf(content) as WebSearchToolResultErrorCode },
		...callerOf(block),
	}
}

export const codeOf = (content: unknown): string =>
	String((content as { error_code?: unknown } | null | undefined)?.error_code ?? 'unavailable')
