import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { agentTypes, parseAgent, TYPES_FILE } from '../../../../bundles/index.ts'

/** Writes the agent's types where they have changed, so that an editor sees what agent.yaml says. */
export function writeTypes(folder: string, files: Map<string, Uint8Array>): void {
	const { agent } = parseAgent(Buffer.from(files.get('agent.yaml') ?? []).toString('utf8'))
	if (!agent) return
	const text = agentTypes(agent, files.keys())
	const file = join(folder, TYPES_FILE)
	if (read(file) === text) return
	mkdirSync(dirname(file), { recursive: true })
	writeFileSync(file, text)
}

function read(file: string): string | undefined {
	try {
		return readFileSync(file, 'utf8')
	} catch {
		return undefined
	}
}
