/** A peer as a process. A library reads one JSON command a line and answers one JSON line, as `bare.ts` does. */
import { createInterface } from 'node:readline'
import { load } from '../load.ts'

interface Command {
	model: string
	callers: number
	calls: number
	seconds: number
}
type Run = (model: string, question: string) => Promise<string>
/** Takes `{model, question}` by POST at `url`, in which `{caller}` stands for a caller's number. `pid`: of all that is measured. */
type Server = { url: string; pid?: number }

// So that what an adapter has started is ended, too.
process.on('SIGTERM', () => process.exit())
const { PEER = '', MODEL_URL: modelUrl, MCP_URL: mcpUrl } = process.env
const { open } = (await import(PEER)) as { open(servers: object): Promise<Run | Server> }
const opened = await open({ modelUrl, mcpUrl })
const run = typeof opened === 'function' && opened

console.log(JSON.stringify({ ready: true, ...(!run && opened) }))
for await (const line of createInterface({ input: process.stdin })) {
	if (!run) continue
	const { model, callers, calls, seconds } = JSON.parse(line) as Command
	const seen = await load(callers, calls, seconds, async (n) => {
		const text = await run(model, `Question ${n}`)
		if (!text.includes('It said hello.')) throw new Error(`a run failed: ${text}`)
	})
	console.log(JSON.stringify(seen))
}
process.exit()
