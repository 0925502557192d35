// Speaks the runtime's side of the pipe, and does what its master key file is named after.

import { Socket } from 'node:net'
import { createInterface } from 'node:readline'

const pipe = new Socket({ fd: 3, readable: true, writable: true })
const send = (frame) => pipe.write(`${JSON.stringify(frame)}\n`)
let how = ''

createInterface({ input: pipe }).on('line', (line) => {
	const { c, i, a } = JSON.parse(line)
	if (c === 'init') {
		how = a.masterKeyFile
		if (how === 'dies at start') process.exit(3)
		if (how === 'refuses') return send({ r: i, e: { code: 'master_key_missing', message: 'copy the file' } })
		const layers = [JSON.stringify({ env: Object.keys(process.env), mayGenerate: a.mayGenerate })]
		send({ r: i, v: { check: 'check', layers } })
		if (how === 'dies after start') process.exit(4)
		if (how === 'breaks the protocol') pipe.write('this is not a frame\n')
	} else if (c === 'stats') send({ r: i, v: { runs: 0, sandboxes: [] } })
	else if (c === 'shutdown' && how !== 'hangs') send({ r: i, v: {} })
})
pipe.on('close', () => how !== 'hangs' && process.exit(0))
setInterval(() => undefined, 60_000)
process.on('SIGTERM', () => undefined)
