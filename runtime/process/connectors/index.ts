export { createConnectors } from './connectors.ts'
export { type NamedTool, nameTools } from './names.ts'
export { createSignIns, type SignIns } from './sign-in/index.ts'
export type {
	ConnectorCallOptions,
	Connectors,
	ConnectorTarget,
	Lack,
	Question,
	QuestionAnswer,
	RemoteTool,
	Resumed,
	ToolAsks,
	ToolListing,
	ToolReply,
} from './types.ts'
export { ConnectorError } from './types.ts'
export { boundedWords, scopeNames } from './words.ts'
