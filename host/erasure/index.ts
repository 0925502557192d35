// Erasure of an account on request, over all features.

export { erasureRoutes } from './routes.ts'
