// What an owner sees of all deployments at once.

export { overviewRoutes } from './routes.ts'
