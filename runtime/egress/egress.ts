import type { Egress, EgressOptions } from './types.ts'

export function createEgress(_options: EgressOptions): Egress {
	throw new Error('under construction')
}
