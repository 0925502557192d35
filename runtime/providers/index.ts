export { callModel, probeProvider } from './call.ts'
export { priceOf } from './price.ts'
export { createScrubber, type Scrubber } from './redact.ts'
export type {
	CallContext,
	Message,
	ModelRequest,
	ModelResult,
	ModelStop,
	ToolCall,
	ToolDefinition,
} from './types.ts'
export { ProviderError } from './types.ts'
export { providerOrigin } from './url.ts'
