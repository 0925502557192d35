/** A peer as a process: reads one JSON command a line and answers one JSON line, as `bare.ts` does. */
import { createInterface } from 'node:readline'
import { load } from '../load.ts'

interface Command {
	model: string
	callers: number
	calls: number
	seconds: number
}
type Run = (model: string, question: string) => Promise<string>

// So that what an adapter has started is ended, too.
process.on('SIGTERM', () => process.exit())
const { PEER = '', MODEL_URL: modelUrl, MCP_URL: mcpUrl } = process.env
const { open } = (await import(PEER)) as { open(servers: object): Promise<Run> }
const run = await open({ modelUrl, mcpUrl })

console.log(JSON.stringify({ ready: true }))
for await (const line of createInterface({ input: process.stdin })) {
	const { model, callers, calls, seconds } = JSON.parse(line) as Command
	const seen = await load(callers, calls, seconds, async (n) => {
		const text = await run(model, `Question ${n}`)
		if (!text.includes('It said hello.')) throw new Error(`a run failed: ${text}`)
	})
	console.log(JSON.stringify(seen))
}
process.exit()
