import type { EndpointWithSecret } from '../../host/api/endpoints.ts'
import { bundleOf, deploy, type Running } from '../host/agent.ts'
import type { Call, TestAccount, TestHost } from '../support/host.ts'
import { type Kind, kinds, type World } from './world.ts'

export interface Deployed {
	kind: Kind
	running: Running
	/** Path below any host's address. */
	path: string
	/** Of its webhooks. */
	secret: string
}

/** One deployment a kind of run, each with an endpoint that wants every event. */
export async function deployAll(url: string, operator: string, world: World): Promise<Deployed[]> {
	const host = { call: caller(url) } as TestHost
	const account = await host.call<TestAccount>('/v1/admin/accounts', {
		token: operator,
		json: { email: 'crash@example.com', token: true, plan: 'team' },
	})
	if (account.status !== 201) throw new Error(`account: ${account.text}`)
	const all: Deployed[] = []
	for (const kind of kinds) {
		const running = await deploy(host, account.body, await bundle(kind, world), `crash-${kind}`)
		const endpoint = await host.call<EndpointWithSecret>(`/v1/deployments/${running.id}/endpoints`, {
			token: account.body.token,
			json: { url: world.hooks.url },
		})
		if (endpoint.status !== 201) throw new Error(`endpoint: ${endpoint.text}`)
		all.push({ kind, running, path: new URL(running.url).pathname, secret: endpoint.body.secret })
	}
	return all
}

const program = `import { agent } from 'berth'
export default agent(async ({ tag }, ctx) => {
	const [said, a, b] = await Promise.all([
		ctx.model('Think about ' + tag),
		ctx.tools.call('lookup', { key: tag + '-a' }),
		ctx.tools.call('lookup', { key: tag + '-b' }),
	])
	await ctx.model('Think again about ' + tag)
	ctx.log('info', 'drawn ' + Math.random() + ' at ' + Date.now())
	return said.text + ': ' + a.output + ', ' + b.output
})
`

function bundle(kind: Kind, { models, tools }: World): Promise<Uint8Array> {
	return bundleOf({
		model: `{ provider: openai, name: ${kind}, base_url: "${models.openaiUrl}" }`,
		yaml: `inputs: { type: object, properties: { tag: { type: string } }, required: [tag] }
requires:
  - { connector: "${tools.url}", scopes: [], auth: none, kind: connector, tools: [lookup, charge] }
tools: { "${tools.url}/lookup": { idempotent: true } }
`,
		files: kind === 'program' ? { 'agent.ts': program } : {},
	})
}

function caller(base: string): TestHost['call'] {
	return async <T>(path: string, { method, token, json, body }: Call = {}) => {
		const sent = json === undefined ? body : JSON.stringify(json)
		const response = await fetch(new URL(path, base), {
			method: method ?? (sent === undefined ? 'GET' : 'POST'),
			headers: {
				...(token !== undefined && { authorization: `Bearer ${token}` }),
				...(json !== undefined && { 'content-type': 'application/json' }),
			},
			...(sent !== undefined && { body: sent }),
		})
		const text = await response.text()
		const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '')
		return {
			status: response.status,
			headers: response.headers,
			text,
			body: (isJson ? JSON.parse(text) : text) as T,
		}
	}
}
