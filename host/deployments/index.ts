// Deployments: their states, versions, credentials and run keys, and what a run must know of them.

export { putCredential, readCredentials } from '../credentials/credentials.ts'
export { deploymentRewrite, deploymentUrl } from './address.ts'
export { type KnownDeployments, knowDeployments } from './cache.ts'
export { deploymentHandlers } from './handlers.ts'
export { hasBudget, type KnownDeployment, requireUnblocked } from './known.ts'
export { openBundle } from './programs.ts'
export { readyRequest } from './request.ts'
export { deploymentRoutes } from './routes.ts'
export { notRunning } from './states.ts'
export { stopAccount } from './stop.ts'
export { iso, ownDeployment } from './store.ts'
export { acceptUploads, readUpload } from './upload.ts'
