/** What `berth/test` exports (bundles/types/test.js): runs an agent's working tree in the real engine. */
import { script } from './model.ts'
import { recorded } from './recorded.ts'
import { run } from './run.ts'

export { recorded, run, script }
