// The guard connector beside this host: its routes, and what it needs of accounts.

export { guardRoutes } from './routes.ts'
