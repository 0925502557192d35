import type { Plugin as BundlerPlugin } from 'esbuild'
import type { Plugin } from 'vitest/config'

export const mend: BundlerPlugin
export const mendInTests: Plugin
