import type { Egress } from '../../egress/index.ts'
import type { Connectors } from './types.ts'

export interface ConnectorsOptions {
	egress: Egress
	/** Connections unused for this long are closed. */
	idleMs?: number
	/** A larger result becomes a failed one that says so. */
	maxResultBytes?: number
}

/** The client and its schemas take 30 MB and a tenth of a second: they are loaded with the first connector that is used. */
export function createConnectors(options: ConnectorsOptions): Connectors {
	let opened: Promise<Connectors> | undefined
	const open = () => {
		opened ??= import('./open.ts').then(({ openConnectors }) => openConnectors(options))
		return opened
	}
	return {
		list: async (...args) => (await open()).list(...args),
		call: async (...args) => (await open()).call(...args),
		drop: (deployment) => void opened?.then((connectors) => connectors.drop(deployment)),
		close: async () => (await opened)?.close(),
	}
}
