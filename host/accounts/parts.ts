import type { FastifyBaseLogger } from 'fastify'
import type { RuntimeClient } from '../../runtime/supervisor/client.ts'
import type { Auth, SessionParts, Throttle } from '../auth/index.ts'
import type { Config } from '../settings/config.ts'

/** What the routes and pages of accounts use. */
export interface AccountParts extends SessionParts {
	config: Pick<
		Config,
		| 'BASE_URL'
		| 'EGRESS_ALLOW'
		| 'RETAIN_AUDIT_DAYS'
		| 'RETAIN_LEDGER_DAYS'
		| 'SMTP_URL'
		| Extract<keyof Config, `OIDC_${string}`>
	>
	log: FastifyBaseLogger
	runtime: Pick<RuntimeClient, 'call'>
	auth: Pick<Auth, 'requireOwner' | 'requireOperator' | 'grants'>
	throttle: Throttle
	/** Ends everything an account runs; it was disabled. */
	stopAccount(accountId: string): Promise<void>
}
