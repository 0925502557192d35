import type { FastifyBaseLogger } from 'fastify'
import type { Auth, SessionParts, Throttle } from '../auth/index.ts'

/** What the routes and pages of accounts use. */
export interface AccountParts extends SessionParts {
	log: FastifyBaseLogger
	auth: Pick<Auth, 'requireOwner' | 'requireOperator'>
	throttle: Throttle
	/** Ends everything an account runs; it was disabled. */
	stopAccount(accountId: string): Promise<void>
}
