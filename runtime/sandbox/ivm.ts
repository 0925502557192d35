/** The native module through `require`: Node's ES module loader would first parse its CommonJS to find its exports. */
import { createRequire } from 'node:module'
import type IsolatedVm from 'isolated-vm'

export const ivm = createRequire(import.meta.url)('isolated-vm') as typeof IsolatedVm
