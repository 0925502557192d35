// Runs: taken, executed by the runtime, written down, answered, streamed and ended.

export { accountRunRoutes } from './accountRoutes.ts'
export { runHandlers } from './handlers.ts'
export { runRoutes } from './routes.ts'
export { openRuns, type Runs } from './service.ts'
