import { CommandError } from '../cli/failure.ts'
import { type ScriptedModel, startScriptedModel } from './scripted-model.ts'

/** Which model answers in the demo. */
export interface DemoProvider {
	/** Said before anything else, so that nobody takes a script for a model. */
	announcement: string
	/** `model` of the agent's agent.yaml. */
	model: Record<string, unknown>
	/** Environment variable of the key, for `berth deploy --provider-key-env`, and its value where we made it up. */
	keyVariable: string
	keyValue?: string
	/** host:port that the egress guard has to let through; public addresses need nothing. */
	egress: string[]
	scripted: ScriptedModel | null
}

const LISTING_TIMEOUT_MS = 10_000

/** The owner's own key or server where the environment names one, else a script that says it is one. */
export async function chooseProvider(env: NodeJS.ProcessEnv): Promise<DemoProvider> {
	const { OPENAI_BASE_URL, OPENAI_API_KEY, OPENAI_MODEL, ANTHROPIC_API_KEY, ANTHROPIC_MODEL } = env
	if (OPENAI_BASE_URL) return compatible(OPENAI_BASE_URL, OPENAI_API_KEY, OPENAI_MODEL)
	if (OPENAI_API_KEY) {
		const name = OPENAI_MODEL || 'gpt-5-mini'
		return official('openai', name, 'OPENAI_API_KEY')
	}
	if (ANTHROPIC_API_KEY)
		return official('anthropic', ANTHROPIC_MODEL || 'claude-haiku-4-5', 'ANTHROPIC_API_KEY')
	const scripted = await startScriptedModel()
	return {
		announcement:
			'No OPENAI_API_KEY, ANTHROPIC_API_KEY or OPENAI_BASE_URL is set: the model is a SCRIPT on loopback that\nspeaks the OpenAI wire format. Everything else is real: host, database, sandbox, tools, webhook.',
		model: { provider: 'openai', name: 'scripted', base_url: scripted.url, api: 'chat' },
		keyVariable: 'DEMO_PROVIDER_KEY',
		keyValue: 'sk-demo-this-key-is-only-known-to-the-script',
		egress: [new URL(scripted.url).host],
		scripted,
	}
}

function official(provider: 'openai' | 'anthropic', name: string, keyVariable: string): DemoProvider {
	const announcement = `The model is ${name} of ${provider}, called with your ${keyVariable}. It costs a cent or less.`
	return { announcement, model: { provider, name }, keyVariable, egress: [], scripted: null }
}

async function compatible(
	baseUrl: string,
	key: string | undefined,
	wanted: string | undefined,
): Promise<DemoProvider> {
	if (!URL.canParse(baseUrl)) throw new CommandError(`OPENAI_BASE_URL=${baseUrl} is no URL`)
	const { hostname, port, protocol } = new URL(baseUrl)
	const name = wanted || (await firstModel(baseUrl, key))
	return {
		announcement: `The model is ${name} of the server at ${baseUrl} (OPENAI_BASE_URL).`,
		model: { provider: 'openai', name, base_url: baseUrl, api: 'chat' },
		keyVariable: key ? 'OPENAI_API_KEY' : 'DEMO_PROVIDER_KEY',
		...(!key && { keyValue: 'none' }),
		egress: [`${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`],
		scripted: null,
	}
}

async function firstModel(baseUrl: string, key: string | undefined): Promise<string> {
	const url = `${baseUrl.replace(/\/+$/, '')}/models`
	try {
		const response = await fetch(url, {
			headers: key ? { Authorization: `Bearer ${key}` } : {},
			signal: AbortSignal.timeout(LISTING_TIMEOUT_MS),
		})
		const { data } = (await response.json()) as { data: { id: string }[] }
		if (data[0]) return data[0].id
	} catch (error) {
		throw new CommandError(
			`${url} does not list models (${(error as Error).message}); name one: OPENAI_MODEL`,
		)
	}
	throw new CommandError(`${url} lists no model; name one: OPENAI_MODEL`)
}
