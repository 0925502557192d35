// Runs: taken, executed by the runtime, written down, answered, streamed and ended.

export { acceptRun, canonicalInputs, OWNER, requireInputs } from './accept.ts'
export { accountRunRoutes } from './accountRoutes.ts'
export { approvalRoutes } from './approvalRoutes.ts'
export { runHandlers } from './handlers.ts'
export { replayRoutes } from './replayRoutes.ts'
export { runRoutes } from './routes.ts'
export { openRuns, type Runs } from './service.ts'
