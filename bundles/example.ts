import type { BuiltBundle } from './build.ts'
import { buildFrom } from './build.ts'
import { newAgent } from './new-agent.ts'
import { NO_COMMIT } from './working-tree.ts'

const MODELS = { openai: 'gpt-5-mini', anthropic: 'claude-haiku-4-5' }
const NAME = 'example'

export type ExampleProvider = keyof typeof MODELS
export const EXAMPLES = Object.keys(MODELS) as ExampleProvider[]

/** For whoever has no bundle yet: what `berth init` makes, on a model of the provider. It comes from no commit. */
export async function exampleBundle(provider: ExampleProvider): Promise<BuiltBundle> {
	const files = newAgent(NAME)
	const model = `model: { provider: ${provider}, name: ${MODELS[provider]} }\n`
	files.set('agent.yaml', (files.get('agent.yaml') ?? '').replace(/^model:\n(?: .*\n)+/m, model))
	const bytes = new Map([...files].map(([path, text]) => [path, new TextEncoder().encode(text)]))
	return buildFrom({ commit: NO_COMMIT, files: bytes, leftOut: [] })
}
