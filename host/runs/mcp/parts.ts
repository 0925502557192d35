import type { FastifyBaseLogger } from 'fastify'
import type { Auth } from '../../auth/index.ts'
import type { At } from '../../deployments/index.ts'
import type { Runs } from '../live/service.ts'
import type { Waiters } from './waiters.ts'

/** Why a call is aborted, where its caller said so. */
export const cancelled = 'cancelled'

export interface AgentRouteParts {
	auth: Pick<Auth, 'requireCaller'>
	at: At
	runs: Pick<Runs, 'engine' | 'refusals'>
	log: FastifyBaseLogger
}

/** What a call uses. */
export interface AgentParts extends Pick<AgentRouteParts, 'runs' | 'log'> {
	waiters: Waiters
}
