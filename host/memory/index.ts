// Memory: what an agent keeps between runs, by path, every version of it.

export { memoryHandlers } from './handlers.ts'
export { memoryRoutes } from './routes.ts'
export { requireSeed } from './rules.ts'
export { eraseMemory, seedMemory } from './seed.ts'
