// Run keys: what may call a deployment's address, with which rights.

export { insertKey } from './keys.ts'
export { keyRoutes } from './routes.ts'
