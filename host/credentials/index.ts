// Credentials: sealed to a deployment, shown as name, kind and state; sign-ins that are refreshed.

export { clientDocumentRoute } from './client-document.ts'
export { noteCredential } from './credentials.ts'
export { credentialHandlers } from './handlers.ts'
export { credentialRoutes } from './routes.ts'
