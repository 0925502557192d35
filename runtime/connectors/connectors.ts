import type { Egress } from '../egress/index.ts'
import type { Connectors } from './types.ts'

export interface ConnectorsOptions {
	egress: Egress
	/** Connections unused for this long are closed. */
	idleMs?: number
	/** A larger result becomes a failed one that says so. */
	maxResultBytes?: number
}

export function createConnectors(_options: ConnectorsOptions): Connectors {
	throw new Error('under construction')
}
