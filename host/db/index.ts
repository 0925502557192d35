// How the host reaches Postgres: `sql` for hand-written statements, `query` and `read` for reads that are built from `tables`.

export { isAway, unavailable } from './away.ts'
export { batched } from './batch.ts'
export { dataDirFault } from './data-dir.ts'
export { type Embedded, type EmbeddedOptions, startEmbedded } from './embedded.ts'
export { isAlive, type Lease, takeLease } from './lease.ts'
export type { Listen } from './listen.ts'
export { type Database, openDatabase, type Sql, type Tx } from './open.ts'
export { patience } from './patience.ts'
export { query, read } from './read.ts'
export type { DeploymentStateName, Rows, RunStatus } from './schema.ts'
export * as tables from './schema.ts'
export { parseDatabaseUrl } from './url.ts'
