import { AlertPage } from '../../api/alerts.ts'
import { AccountApprovalPage } from '../../api/approvals.ts'
import { FailureList } from '../../api/failures.ts'
import { Overview } from '../../api/overview.ts'
import type { Http } from './http.ts'

export interface FailureFilter {
	/** By default 24 hours ago. */
	since?: string
	until?: string
	deployment?: string
	code?: string
	/** A run key, or the lineage of one. */
	key?: string
	limit?: number
}

/** What is to be seen over all deployments of the account. */
export function overviewCalls(http: Http, base: string) {
	return {
		get: () => http.json(Overview, { method: 'GET', url: `${base}/v1/overview` }),
		/** What waits for a decision; with `all` also what was decided. */
		approvals: (query: { status?: 'pending' | 'all'; limit?: number; cursor?: string } = {}) =>
			http.json(AccountApprovalPage, { method: 'GET', url: `${base}/v1/approvals`, query }),
		alerts: (query: { limit?: number; cursor?: string } = {}) =>
			http.json(AlertPage, { method: 'GET', url: `${base}/v1/alerts`, query }),
		failures: (query: FailureFilter = {}) =>
			http.json(FailureList, { method: 'GET', url: `${base}/v1/failures`, query: { ...query } }),
	}
}
