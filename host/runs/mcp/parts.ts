import type { FastifyBaseLogger } from 'fastify'
import type { Auth } from '../../auth/index.ts'
import type { At } from '../../deployments/index.ts'
import type { Places } from '../../places/index.ts'
import type { Config } from '../../settings/config.ts'
import type { Runs } from '../live/service.ts'
import type { Waiters } from './waiters.ts'

/** Why a call is aborted, where its caller said so. */
export const cancelled = 'cancelled'

export interface AgentRouteParts {
	auth: Pick<Auth, 'requireAgentCaller'>
	at: At
	config: Pick<Config, 'BASE_URL'>
	places: Pick<Places, 'own'>
	runs: Pick<Runs, 'engine' | 'refusals'>
	log: FastifyBaseLogger
}

/** What a call uses. */
export interface AgentParts extends Pick<AgentRouteParts, 'runs' | 'log'> {
	waiters: Waiters
}
