export { parseEgressAllow } from './allow.ts'
export { checkTarget } from './check.ts'
export { createEgress } from './egress.ts'
export { createFetch, type FetchLimits } from './fetch.ts'
export { EVENTS, isEvents, mediaType, sorted } from './label.ts'
export { createSseParser, type SseParser } from './sse.ts'
export type {
	BodyReader,
	Egress,
	EgressOptions,
	EgressRequest,
	Lookup,
	OwnListener,
	ResponseHead,
} from './types.ts'
export { EgressError } from './types.ts'
