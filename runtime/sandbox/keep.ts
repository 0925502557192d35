/** The last step of a build, in a process with a sandbox's view of V8: `node --no-node-snapshot keep-snapshot.mjs prelude.js …`. */
import { keepSnapshot } from './snapshot.ts'

for (const guestFile of process.argv.slice(2)) keepSnapshot(guestFile)
