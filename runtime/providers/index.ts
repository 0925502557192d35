export { apiOf, isOfficial, providerOrigin } from './address.ts'
export { callModel } from './call.ts'
export { priceOf, setPrices } from './price.ts'
export { type Price, type PriceTable, prices } from './prices.ts'
export { type ProbeResult, probeProvider } from './probe.ts'
export { createScrubber, type Scrubber } from './redact.ts'
export type {
	AssistantMessage,
	CallContext,
	Message,
	ModelRequest,
	ModelResult,
	ModelStop,
	ModelUsage,
	ToolCall,
	ToolDefinition,
} from './types.ts'
export { ProviderError } from './types.ts'
