import type { HostCalls, HostNotes } from '../wire/host-calls.ts'
import type { PeerHandlers } from '../wire/peer.ts'
import type { RuntimeCalls, RuntimeNotes } from '../wire/runtime-calls.ts'

/** How the host speaks to its runtime. Whoever uses it takes the members it needs: `Pick<RuntimeClient, 'call'>`. */
export interface RuntimeClient {
	/** Rejects with a `PeerError`: the runtime's code, or `closed` while it is down. */
	call<M extends keyof RuntimeCalls>(
		method: M,
		args: Parameters<RuntimeCalls[M]>[0],
		options?: { timeoutMs?: number },
	): Promise<ReturnType<RuntimeCalls[M]>>
	/** Dropped while the runtime is down: `onRestart` says when to say everything again. */
	notify<M extends keyof RuntimeNotes>(method: M, args: RuntimeNotes[M]): void
	/** The runtime died and is back, empty: its deployments must be put again, its live runs begun again with their journals. */
	onRestart(listener: () => void): void
	/** The isolation layers that hold on this machine. */
	layers(): string[]
	/** Digest of the code that every guest begins with. */
	prelude(): string
	pid(): number | undefined
}

/** What the runtime asks of the host and tells it, with who answers. */
export type HostHandlers = PeerHandlers<HostCalls, HostNotes>
