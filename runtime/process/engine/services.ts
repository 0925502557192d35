import type { Egress } from '../../egress/index.ts'
import type { HostCalls, HostNotes } from '../../wire/host-calls.ts'
import type { RunCeilings } from '../../wire/init.ts'
import type { Peer } from '../../wire/peer.ts'
import type { Connectors, SignIns } from '../connectors/index.ts'
import type { Credentials } from '../keys/index.ts'
import type { CallContext, EmbedRequest, EmbedResult, ModelRequest, ModelResult } from '../providers/index.ts'
import type { Sandboxes } from '../sandboxes/types.ts'

/** What the engine is built from; every part is replaceable in a test. */
export interface Services {
	sandboxes: Sandboxes
	credentials: Credentials
	connectors: Connectors
	signIns: SignIns
	egress: Egress
	host: Pick<Peer<HostCalls, HostNotes>, 'call' | 'notify'>
	callModel(request: ModelRequest, context: CallContext): Promise<ModelResult>
	embed(request: EmbedRequest, context: CallContext): Promise<EmbedResult>
	/** Longest silence of a provider, and longest call of a connector whose agent names no other. */
	providerTimeoutMs: number
	/** Over all that an agent says. */
	connectorCeilingMs: number
	/** How long the call of an older connector stays open for a person's answer. */
	questionMs: number
	/** From a model call's beginning to the last byte of its answer. */
	providerCallMs: number
	/** The guard connector of this very host, whose hints are believed. */
	guardUrl: string | undefined
	/** Addresses of this place's agents, as connectors. */
	ownAgents: RegExp | undefined
	/** The host's, over every agent's limits. */
	ceilings: RunCeilings
	/** Milliseconds of work, of no particular beginning: for deadlines and waits. */
	now(): number
	/** The time that all hosts share, in ms since 1970. */
	date(): number
}
