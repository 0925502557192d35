export { parseEgressAllow } from './allow.ts'
export { createEgress } from './egress.ts'
export type { Egress, EgressOptions, EgressRequest, EgressResponse, OwnListener } from './types.ts'
export { EgressError } from './types.ts'
