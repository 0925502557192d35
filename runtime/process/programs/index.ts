export type { CheckedPrograms, Programs } from '../../wire/programs.ts'
export { checkPrograms } from './check.ts'
export { createTurns } from './turns.ts'
