// The log of what people changed: kept for ever, read by the account and by operators.

export { auditRoutes } from './routes.ts'
export { type Audit, openAudit } from './write.ts'
