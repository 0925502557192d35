// The master key, as the host knows it: by check values. Which one is in use stands in the database; the keys themselves
// are the runtime's.

export { masterKeyCheck, missingKey, requireMasterKey } from './require.ts'
export { watchMasterKey } from './watch.ts'
