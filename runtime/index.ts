/** The runtime, for the host: a process of its own (`main.ts`) and this handle on it. */
export { machineMs, setSharedNow, sharedNow } from './clock.ts'
export { forbidCoreDumps } from './core-dumps.ts'
export { closeInherited } from './descriptors.ts'
export {
	checkTarget,
	createEgress,
	type Egress,
	EgressError,
	type EgressOptions,
	type OwnListener,
	parseEgressAllow,
	type ResponseHead,
} from './egress/index.ts'
export { inFlightIn, inFlightText } from './engine/end.ts'
export { usageOf } from './engine/usage.ts'
export { type RuntimeHandle, type RuntimeOptions, startRuntime } from './handle/start.ts'
export { giveBackWhenIdle } from './idle-memory.ts'
export { type LoggedError, loggedError } from './log-error.ts'
export { PeerError } from './peer.ts'
export type * from './protocol.ts'
export type * from './protocol-budgets.ts'
export type { ToolLocks, ToolOffer } from './protocol-connectors.ts'
export type * from './protocol-replay.ts'
export { type Price, type PriceTable, prices as listPrices, providerOrigin } from './providers/index.ts'
