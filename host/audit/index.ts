// The log of what people changed: kept as RETAIN_AUDIT_DAYS says, read by the account and by operators.

export { auditRoutes } from './routes.ts'
export { type Audit, openAudit } from './write.ts'
