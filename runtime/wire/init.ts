import type { Agent } from '../../bundles/index.ts'
import type { OwnListener } from '../egress/index.ts'
import type { PriceTable } from '../prices/index.ts'
import type { Layer } from './layers.ts'

/** Each of an agent's `limits` stands under one (spec limit.host-ceiling). */
export type RunCeilings = { [Limit in keyof Agent['limits']]?: number | undefined }

export interface RuntimeInit {
	masterKeyFile: string
	mayGenerate: boolean
	egressAllow: string[]
	/**
	 * The guard connector of this very host (spec egress.own-origin-paths); its own connectors reach it through this
	 * listener.
	 */
	own?: OwnListener
	/** Regular expression of the addresses at which this place's agents are MCP servers. */
	ownAgents?: string
	providerTimeoutMs: number
	/** Longest call of a provider, and of a connector, in all; the run's own limit may be shorter. */
	providerCallMs?: number
	connectorCeilingMs?: number
	/** How long the call of an older connector stays open for a person's answer. */
	questionMs?: number
	dataDir: string
	/** Layers that must hold around a sandbox. */
	sandboxRequire?: Layer[]
	warmSpares: number
	idleStopMs: number
	/** What a run may use at most, whatever its agent says; for what is not named here, its agent alone says. */
	ceilings?: RunCeilings
	/** The operator's own. */
	prices?: PriceTable
}
