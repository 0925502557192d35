import { type Program, program } from './berth.ts'

/** A model that calls the one tool and answers, at once, and the tool's server. */
export interface Servers {
	model: Program
	mcp: Program
	/** Resolves when both listen. */
	urls(): Promise<{ modelUrl: string; mcpUrl: string }>
}

export function startServers(): Servers {
	const usage = { input: 200, output: 20 }
	const turns = [
		{ calls: [{ name: 'echo', input: { text: 'hello' } }], usage },
		{ text: 'It said hello.', usage },
	]
	const model = program('test/kit/model-server.ts', [JSON.stringify({ m0: turns })], {})
	const mcp = program('test/kit/mcp-server.ts', [], {})
	const address = (line: string) =>
		line.startsWith('{') ? (JSON.parse(line) as { url: string }).url : undefined
	return {
		model,
		mcp,
		async urls() {
			const [modelUrl, mcpUrl] = await Promise.all([model.line(address), mcp.line(address)])
			return { modelUrl, mcpUrl }
		},
	}
}
