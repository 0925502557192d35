// A host that starts its runtime, says which processes there are, and does nothing more.

import { join } from 'node:path'
import { openRuntime } from '../../../../runtime/supervisor/start.ts'
import { fakeBudgets } from '../../../kit/engine/fake-budgets.ts'
import { fakeFiles } from '../../../kit/engine/fake-files.ts'
import { fakeMemory } from '../../../kit/engine/fake-memory.ts'

const dataDir = process.argv[2] as string
const runtime = openRuntime()
await runtime.start(
	{
		masterKeyFile: join(dataDir, 'master.key'),
		mayGenerate: true,
		egressAllow: [],
		providerTimeoutMs: 60_000,
		dataDir,
		warmSpares: 1,
		idleStopMs: 10_000,
	},
	{
		calls: {
			'bundle.get': () => new Uint8Array(),
			'run.commit': () => ({}),
			'run.end': () => ({}),
			...fakeMemory(),
			'approval.get': () => ({ decision: null }),
			...fakeBudgets(),
			...fakeFiles().calls,
			'credential.lease': () => ({ status: 'gone' as const }),
			'credential.store': () => ({ credential: null }),
			'credential.release': () => ({ credential: null }),
			'tools.lock': () => ({ locks: {} }),
		},
		notes: {
			'credential.state': () => undefined,
			'run.left': () => undefined,
			'sealing_key.unreadable': () => undefined,
			log: () => undefined,
		},
	},
)
let { sandboxes } = await runtime.call('stats', {})
while (sandboxes.length === 0) ({ sandboxes } = await runtime.call('stats', {}))
console.log(JSON.stringify([runtime.pid(), ...sandboxes.map(({ pid }) => pid)]))
setInterval(() => undefined, 60_000)
