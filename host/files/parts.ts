import type { Auth } from '../auth/index.ts'
import type { Sql } from '../db/index.ts'
import type { At, KnownDeployment } from '../deployments/index.ts'

export interface FileParts {
	sql: Sql
	auth: Pick<Auth, 'requireAgentCaller'>
	at: At
}

/** Runs that this host executes. */
export interface LiveRuns {
	live: ReadonlyMap<
		string,
		{
			epoch: number
			lineage: string | null
			deployment: Pick<KnownDeployment, 'id' | 'accountId' | 'url'>
		}
	>
}
