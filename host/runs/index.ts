// Runs: taken, executed by the runtime, written down, answered, streamed and ended.

export { acceptRun, canonicalInputs, OWNER, requireInputs } from './accept/accept.ts'
export { accountRunRoutes } from './http/account-routes.ts'
export { adminRunRoutes } from './http/admin-routes.ts'
export { approvalRoutes } from './http/approval-routes.ts'
export { eraseRunRoutes } from './http/erase-routes.ts'
export { failureRoutes } from './http/failure-routes.ts'
export { replayRoutes } from './http/replay-routes.ts'
export { runRoutes } from './http/routes.ts'
export { runHandlers } from './live/handlers.ts'
export { openRuns, type Runs } from './live/service.ts'
export { agentMcpRoutes } from './mcp/routes.ts'
export { type Ended, type Erased, eraseRuns } from './retention/erase.ts'
