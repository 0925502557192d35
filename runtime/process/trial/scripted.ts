/** The network of a trial: a model and connectors that answer from a script. Nothing leaves the machine. */
import { isModelKey } from '../../../bundles/index.ts'
import { type Egress, EgressError } from '../../egress/index.ts'
import type { Connectors, RemoteTool } from '../connectors/index.ts'
import type { Services } from '../engine/index.ts'
import { type Credentials, type Payload, Secret } from '../keys/index.ts'
import { type ModelResult, ProviderError } from '../providers/index.ts'
import type { TrialHost } from './host.ts'
import type { ModelRequest, TrialRequest, Turn } from './types.ts'

/** Of a turn that says nothing about its usage. */
const TOKENS = { input_tokens: 20, output_tokens: 10 }

export function scriptedModel(
	{ model }: TrialRequest,
	host: Pick<TrialHost, 'fail'>,
	requests: ModelRequest[],
): Services['callModel'] {
	return async ({ files: _, ...request }, { onDelta }) => {
		const call = requests.push(structuredClone(request)) - 1
		const turn = await Promise.resolve()
			.then(() => model(request, call))
			.catch((error: unknown) => {
				host.fail(error)
				throw new ProviderError('agent_error', (error as Error).message)
			})
		if (turn.error) throw new ProviderError(turn.error.code, turn.error.message)
		if (turn.text) onDelta?.(turn.text)
		return resultOf(request, turn, call)
	}
}

function resultOf(
	{ model }: ModelRequest,
	{ text = '', calls = [], stop, usage, citations = [] }: Turn,
	call: number,
): ModelResult {
	const toolCalls = calls.map(({ name, input = {}, id }, i) => ({
		id: id ?? `call_${call}_${i}`,
		name,
		input,
	}))
	return {
		message: {
			role: 'assistant',
			content: text,
			...(toolCalls.length > 0 && { tool_calls: toolCalls }),
		},
		stop: stop ?? (toolCalls.length > 0 ? 'tool_calls' : 'end'),
		usage: { cached_input_tokens: 0, ...TOKENS, ...usage },
		model,
		...(citations.length > 0 && { citations }),
	}
}

export function scriptedEmbed({ embed }: TrialRequest, host: Pick<TrialHost, 'fail'>): Services['embed'] {
	return async ({ model, texts }) => {
		const vectors = await Promise.resolve()
			.then(() => embed(texts))
			.catch((error: unknown) => {
				host.fail(error)
				throw new ProviderError('agent_error', (error as Error).message)
			})
		return { vectors, model, usage: { cached_input_tokens: 0, ...TOKENS, output_tokens: 0 } }
	}
}

export function scriptedConnectors(
	{ tool, schemaOf }: TrialRequest,
	host: Pick<TrialHost, 'fail'>,
): Connectors {
	const offered = (url: string, name: string): RemoteTool => ({
		name,
		description: name,
		input: schemaOf(url, name) ?? { type: 'object' },
		readOnly: false,
		idempotent: false,
		needsTask: false,
		agent: false,
		hash: 'sha256:0',
		plainHash: 'sha256:0',
		schemaHash: 'sha256:0',
	})
	return {
		list: async ({ url }, wanted) => ({ tools: wanted.map((name) => offered(url, name)), missing: [] }),
		call: async ({ url }, name, input) =>
			Promise.resolve()
				.then(() => tool(url, name, structuredClone(input)))
				.catch((error: unknown) => {
					host.fail(error)
					return { ok: false, output: (error as Error).message }
				}),
		drop: () => undefined,
		close: async () => undefined,
	}
}

/** Only `ctx.http` asks it: model and connectors are scripted before it. */
export function scriptedEgress({ http }: TrialRequest, host: Pick<TrialHost, 'fail'>): Egress {
	const refuse = () => Promise.reject(new EgressError('egress_refused', 'a trial calls nobody'))
	return {
		text: refuse,
		fetch: refuse,
		close: async () => undefined,
		async stream(url, { method, headers, body }, { onHead, onChunk }) {
			const sent = body === undefined ? undefined : Buffer.from(body).toString('utf8')
			const answer = await Promise.resolve()
				.then(() => http({ method, url: String(url), headers, ...(sent !== undefined && { body: sent }) }))
				.catch((error: unknown) => {
					host.fail(error)
					throw new EgressError('egress_refused', (error as Error).message)
				})
			const head = { status: answer.status, headers: answer.headers }
			onHead?.(head)
			if (answer.body !== '') onChunk(Buffer.from(answer.body))
			return head
		},
	}
}

/** Every credential is there, and none is a secret. */
export function scriptedCredentials(): Credentials {
	const locks = new Map<string, Record<string, string>>()
	return {
		put: () => undefined,
		drop: () => undefined,
		knows: () => true,
		unreadable: () => undefined,
		fails: () => false,
		version: () => 1,
		replace: () => undefined,
		seal: async () => '',
		locks: (_, connector) => locks.get(connector) ?? {},
		setLocks: (_, connector, next) => void locks.set(connector, next),
		async open(_, name) {
			const secret = new Secret('secret-of-a-test')
			return { name, version: 1, payload: payloadOf(name, secret), secrets: [secret.reveal()] }
		},
	}
}

function payloadOf(name: string, secret: Secret): Payload {
	if (isModelKey(name)) return { kind: 'provider', apiKey: secret }
	return name.startsWith('connector:') ? { kind: 'bearer', token: secret } : { kind: 'secret', secret }
}
