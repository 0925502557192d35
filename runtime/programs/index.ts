export { type CheckedPrograms, checkPrograms, type Programs } from './check.ts'
export { createTurns } from './turns.ts'
