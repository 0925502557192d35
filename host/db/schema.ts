// Every table of the host. Ids are TypeIDs as text. Times are timestamptz. JSON that is stored and handed on but never
// queried is `json` (kept as text, no parse on insert), never `jsonb` (which refuses \u0000).

export * from './schema/accounts.ts'
export * from './schema/alerts.ts'
export * from './schema/audit.ts'
export * from './schema/budgets.ts'
export * from './schema/deployments.ts'
export * from './schema/files.ts'
export * from './schema/memory.ts'
export * from './schema/runs.ts'
export * from './schema/schedules.ts'
export * from './schema/webhooks.ts'

/** A row of each table as a query gives it: names and types are those of the columns. */
export type Rows = {
	[Name in keyof Tables]: Tables[Name] extends { $inferSelect: infer Row } ? Row : never
}
type Tables = typeof import('./schema.ts')
