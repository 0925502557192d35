import fs from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import git from 'isomorphic-git'
import { type BuiltBundle, buildBundle } from '../../bundles/index.ts'

/** An agent that asks its model, calls the one tool of `mcpUrl`, and asks again. */
export async function benchAgent(a: {
	modelUrl: string
	mcpUrl: string
	model: string
	/** The tool is repeatable, so the call does not wait for the journal. */
	idempotent: boolean
	/** Of its provider; `responses` where none is named. */
	api?: 'responses' | 'chat'
	prompt?: string
	/** Of its one input. */
	pattern?: string
	/** Its `agent.ts`. */
	program?: string
}): Promise<BuiltBundle> {
	const dir = await mkdtemp(join(tmpdir(), 'berth-bench-'))
	try {
		await writeFile(join(dir, 'prompt.md'), `${a.prompt ?? 'Answer with the tool.'}\n`)
		await writeFile(join(dir, 'agent.yaml'), JSON.stringify(definition(a)))
		if (a.program !== undefined) await writeFile(join(dir, 'agent.ts'), a.program)
		await git.init({ fs, dir, defaultBranch: 'main' })
		await git.add({
			fs,
			dir,
			filepath: ['agent.yaml', 'prompt.md', ...(a.program === undefined ? [] : ['agent.ts'])],
		})
		await git.commit({ fs, dir, message: 'bench', author: { name: 'bench', email: 'bench@example.com' } })
		return await buildBundle(dir)
	} finally {
		await rm(dir, { recursive: true, force: true })
	}
}

const definition = (a: Parameters<typeof benchAgent>[0]) => ({
	name: 'bench',
	description: 'Two model calls and one tool call',
	model: { provider: 'openai', name: a.model, base_url: `${a.modelUrl}/v1`, api: a.api ?? 'responses' },
	prompt: 'prompt.md',
	inputs: {
		type: 'object',
		properties: { question: { type: 'string', ...(a.pattern !== undefined && { pattern: a.pattern }) } },
		required: ['question'],
	},
	requires: [{ connector: a.mcpUrl, scopes: [], auth: 'none', kind: 'connector', tools: ['echo'] }],
	tools: a.idempotent ? { [`${a.mcpUrl}/echo`]: { idempotent: true } } : {},
})
