import { createEgress, type Egress } from '../../../../runtime/egress/index.ts'
import {
	type CallContext,
	callModel,
	type ModelRequest,
} from '../../../../runtime/process/providers/index.ts'
import { type ModelServer, type Script, startModelServer } from '../../../kit/model-server.ts'

/** Marked, long, and with characters that every encoding changes. */
export const KEY = 'sk-MARKED/key+with=odd"chars~0123456789'

export interface Interface {
	name: string
	provider: ModelRequest['provider']
	api?: 'responses' | 'chat'
}

export const interfaces: Interface[] = [
	{ name: 'openai responses', provider: 'openai', api: 'responses' },
	{ name: 'openai chat', provider: 'openai', api: 'chat' },
	{ name: 'anthropic messages', provider: 'anthropic' },
]

export interface Fixture {
	server: ModelServer
	egress: Egress
	request(which: Interface, model: string, more?: Partial<ModelRequest>): ModelRequest
	context(more?: Partial<CallContext>): CallContext
	/** What the server was sent last. */
	sent(): Record<string, unknown>
	call(
		which: Interface,
		script: Script,
		more?: Partial<ModelRequest>,
		context?: Partial<CallContext>,
	): ReturnType<typeof callModel>
	close(): Promise<void>
}

/** `more`: what may be reached beside the server. */
export async function startFixture(more: string[] = []): Promise<Fixture> {
	const server = await startModelServer({}, { key: KEY })
	const egress = createEgress({ allow: [`127.0.0.1:${server.port}`, ...more] })
	let count = 0
	const fixture: Fixture = {
		server,
		egress,
		request: ({ provider, api }, model, more) => ({
			provider,
			...(api && { api }),
			base_url: provider === 'openai' ? server.openaiUrl : server.url,
			model,
			system: 'Be brief.',
			messages: [{ role: 'user', content: 'hi' }],
			tools: [],
			parameters: {},
			cacheKey: 'dep_1',
			...more,
		}),
		context: (more) => ({
			egress,
			apiKey: KEY,
			signal: new AbortController().signal,
			timeoutMs: 30_000,
			...more,
		}),
		sent: () => server.requests.at(-1)?.body ?? {},
		call(which, script, more, context) {
			const model = `model-${++count}`
			server.scripts[model] = script
			return callModel(fixture.request(which, model, more), fixture.context(context))
		},
		async close() {
			await egress.close()
			await server.close()
		},
	}
	return fixture
}
