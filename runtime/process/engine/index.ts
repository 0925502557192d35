export type { BundleCache } from './bundle-cache.ts'
export { createEngine, type Engine } from './engine.ts'
export type { Services } from './services.ts'
