export type { AccountApproval, Approval } from '../../api/approvals.ts'
export type { AuditEntry } from '../../api/audit.ts'
export type { BudgetReport, Budgets } from '../../api/budgets.ts'
export type { Credential } from '../../api/credentials.ts'
export type {
	ActivatedDeployment,
	Activity,
	Agent,
	CreatedDeployment,
	Deployment,
	DeploymentWithActivity,
	DryRun,
	ReadyRequest,
	StartedDeployment,
	Version,
} from '../../api/deployments.ts'
export { type Delivery, type Endpoint, type EndpointWithSecret, webhookTypes } from '../../api/endpoints.ts'
export type { ErasedAccount } from '../../api/erasure.ts'
export type { FailureGroup, FailureList } from '../../api/failures.ts'
export { type IssuedKey, type RunKey, runKeyScopes } from '../../api/keys.ts'
export type { MemoryFile, MemoryList, MemoryVersions } from '../../api/memory.ts'
export type { DeploymentOverview, Overview } from '../../api/overview.ts'
export { ModelCall, type ReplayReport } from '../../api/replay.ts'
export {
	type AccountRun,
	type Citation,
	ModelRetrying,
	type Run,
	type RunDetail,
	type RunEvent,
	runStatuses,
} from '../../api/runs.ts'
export type { Schedule } from '../../api/schedules.ts'
export type { ConsoleToken, Session } from '../../api/sessions.ts'
export type { ToolLock } from '../../api/tools.ts'
export type { VersionDetail } from '../../api/versions.ts'
export type { GuardChange, GuardState } from './account.ts'
export { type Client, type ClientOptions, createClient } from './client.ts'
export type { ConnectOptions, ConnectorSignIn, PendingConnect } from './connector.ts'
export type { BundleFile, NewDeployment } from './deployments.ts'
export {
	type BegunByCode,
	type BegunSignIn,
	beginSignIn,
	beginSignInByCode,
	endSignIn,
	type Grant,
	refreshGrant,
} from './login.ts'
export { modelText } from './model-text.ts'
export { hasOlderRuns } from './older-runs.ts'
export { ApiError } from './problem.ts'
export { isTerminal } from './runs.ts'
export { type SealingPlace, seal } from './seal.ts'

/** Loaded when it is called, with the room of bundles, which few commands need. */
export const beginConnect: typeof import('./connector.ts').beginConnect = async (...asked) =>
	(await import('./connector.ts')).beginConnect(...asked)
export const finishConnect: typeof import('./connector.ts').finishConnect = async (...asked) =>
	(await import('./connector.ts')).finishConnect(...asked)
