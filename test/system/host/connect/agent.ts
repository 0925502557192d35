import { beginConnect, seal } from '../../../../host/owner/client/index.ts'
import { bundleOf, deploy, type Running } from '../../../kit/agent.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import type { ModelServer } from '../../../kit/model-server.ts'
import { authorize, type Person, redirect } from '../../../kit/oauth-clients.ts'

// An agent with one connector, and its owner's sign-ins.

export interface AgentOptions {
	connector: string
	tools: string[]
	auth?: 'oauth' | 'bearer' | 'none'
	models: ModelServer
	files?: Record<string, string>
}

export async function deployWith(
	host: TestHost,
	account: TestAccount,
	{ connector, tools, auth = 'oauth', models, files }: AgentOptions,
): Promise<Running> {
	const bundle = await bundleOf({
		model: `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }`,
		yaml: `requires: [{ connector: "${connector}", scopes: [], auth: ${auth}, kind: connector, tools: [${tools}] }]\n`,
		...(files && { files }),
	})
	return deploy(host, account, bundle)
}

export const connectorOf = (at: Pick<Running, 'credentials'>) => {
	const found = at.credentials.find(({ kind }) => kind !== 'provider')
	if (!found) throw new Error('the agent has no connector that needs a credential')
	return found
}

export async function put(
	host: TestHost,
	at: Running,
	token: string,
	signIn: object,
	aud = connectorOf(at).aud,
) {
	const { name } = connectorOf(at)
	const place = { deployment: at.id, name, aud }
	const jwe = await seal(at.sealing_key, place, signIn as Record<string, unknown>)
	const url = `${at.url}/credentials/${encodeURIComponent(name)}`
	return host.call<{ state: string; version: number }>(url, { method: 'PUT', token, json: { jwe } })
}

export async function connectorState(host: TestHost, at: Running, token: string) {
	const { body } = await host.call<Running>(`/v1/deployments/${at.id}`, { token })
	const { state, version, last_error } = connectorOf(body)
	return { state, version, last_error }
}

/** The whole of `berth connect` but the command line: over the real pages, to what would be sealed. */
export async function signInAt(connector: string, person: Person): Promise<Record<string, unknown>> {
	const { url, finish } = await beginConnect(connector, redirect, { scopes: [] })
	return finish((await authorize(url, person)).searchParams)
}
