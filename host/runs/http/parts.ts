import type { RuntimeClient } from '../../../runtime/supervisor/client.ts'
import type { Auth } from '../../auth/index.ts'
import type { Sql } from '../../db/index.ts'
import type { At, RetentionSettings } from '../../deployments/index.ts'
import type { Runs } from '../live/service.ts'

/** What it takes to run a run again from its journal. */
export interface ReplayParts {
	config: RetentionSettings
	sql: Sql
	runtime: Pick<RuntimeClient, 'call'>
}

/** What the routes of runs use. */
export interface RunRouteParts extends ReplayParts {
	auth: Pick<Auth, 'requireCaller' | 'requireOwner' | 'requireOwnerAt'>
	at: At
	runs: Pick<Runs, 'engine' | 'refusals'>
}
