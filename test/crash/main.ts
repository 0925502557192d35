/** `npm run crash [-- --kills 30 --seed N --in-flight 100 --hosts 2 --freeze 20]`: kills and freezes every part of Berth, over and over, and counts. */
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { progress } from '../../.tools/progress.mjs'
import { crash } from './crash.ts'

const { values } = parseArgs({
	options: {
		kills: { type: 'string', default: '30' },
		seed: { type: 'string', default: String(Date.now() % 100_000) },
		'in-flight': { type: 'string', default: '100' },
		hosts: { type: 'string', default: '2' },
		freeze: { type: 'string', default: '20' },
		logs: { type: 'boolean', default: false },
	},
})
if (spawnSync(process.execPath, ['.tools/build.mjs'], { stdio: 'inherit' }).status !== 0) process.exit(1)
const shown = progress('crash')
const { faults, violations, logs, explained, ...counted } = await crash({
	kills: Number(values.kills),
	seed: Number(values.seed),
	inFlight: Number(values['in-flight']),
	hosts: Number(values.hosts),
	freezeSeconds: Number(values.freeze),
	log: (line) => console.log(line),
})
shown.end()
if (values.logs) console.log(logs.join('\n'))
console.log(JSON.stringify({ seed: Number(values.seed), faults: faults.length, ...counted }, null, '\t'))
for (const line of explained) console.log(`· ${line}`)
for (const line of violations) console.log(`✗ ${line}`)
console.log(violations.length === 0 ? 'Every guarantee held.' : `${violations.length} violations`)
process.exit(violations.length === 0 ? 0 : 1)
