import type { EndpointWithSecret } from '../../host/api/endpoints.ts'
import { seal } from '../../host/owner/client/index.ts'
import { bundleOf, deploy, type Running } from '../kit/agent.ts'
import type { Answer, Call, TestAccount, TestHost } from '../kit/host.ts'
import { put, signInAt } from '../system/host/connect/agent.ts'
import type { Front } from './front.ts'
import { type Shop, shopping } from './shop.ts'
import { type Kind, kinds, type World } from './world.ts'

export interface Deployed {
	kind: Kind
	running: Running
	/** Path below any host's address. */
	path: string
	/** Of its webhooks. */
	secret: string
	/** Its owner's. */
	token: string
}

/** One deployment a kind of run, each with an endpoint that wants every event. */
export async function deployAll(front: Front, operator: string, world: World): Promise<Deployed[]> {
	// To a host itself: the front gives up on what takes as long as a bundle does on a busy machine.
	const host = { url: front.url, call: caller(String(front.hosts[0]?.url)) } as TestHost
	const person = { email: 'crash@example.com', password: 'a long enough password' }
	const { token } = (
		await made(
			host.call<TestAccount>('/v1/admin/accounts', {
				token: operator,
				json: { ...person, token: true, plan: 'team' },
			}),
		)
	).body
	const account = { ...person, token } as unknown as TestAccount
	const all: Deployed[] = []
	for (const kind of ['callee', ...kinds] as const) {
		const callee = `${front.agents}${all[0]?.path}/mcp`
		const running = await deploy(host, account, await bundle(kind, world, callee), `crash-${kind}`)
		const path = `/v1/deployments/${running.id}/endpoints`
		const { body } = await made(
			host.call<EndpointWithSecret>(path, { token, json: { url: world.hooks.url } }),
		)
		if (kind === 'oauth') {
			// From the first use on, its tokens come from where they are said to end soon.
			const signIn = await signInAt(`${front.url}/mcp`, person)
			const soon = { ...signIn, expires_at: 0, token_endpoint: front.tokens.url }
			await made(put(host, running, token, soon), 200)
		}
		if (kind === 'agents') await made(put(host, running, token, { token: all[0]?.running.run_key }), 200)
		if (kind === 'http') {
			const place = { deployment: running.id, name: 'http:shop', aud: world.shop.url }
			const jwe = await seal(running.sealing_key, place, { secret: world.shop.secret })
			const path = `${running.url}/credentials/http:shop`
			await made(host.call(path, { method: 'PUT', token, json: { jwe } }), 200)
		}
		all.push({ kind, running, path: new URL(running.url).pathname, secret: body.secret, token })
	}
	return all
}

async function made<T>(calling: Promise<Answer<T>>, status = 201): Promise<Answer<T>> {
	const answer = await calling
	if (answer.status !== status) throw new Error(`${answer.status} ${answer.text}`)
	return answer
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

/** Many write the same few files at once; who was too late reads again. */
const diary = `import { agent } from 'berth'
export default agent(async ({ tag }, ctx) => {
	const said = await ctx.model('Think about ' + tag)
	const file = 'diary-' + Number(tag.slice(4)) % 4 + '.md'
	for (;;) {
		const { content } = await ctx.memory.read(file)
		try {
			await ctx.memory.write(file, content + tag + '\\n')
			return said.text
		} catch (error) {
			if (error.code !== 'conflict') throw error
		}
	}
})
`
export const diaries = [0, 1, 2, 3].map((n) => `diary-${n}.md`)

/** Reads its file, makes another, and answers with its text. */
const files = `import { agent } from 'berth'
export default agent(async ({ tag, note }, ctx) => {
	const text = await ctx.files.text(note)
	const said = await ctx.model('Think about ' + tag)
	const copy = await ctx.files.create('copy.txt', 'text/plain', said.text + ': ' + text)
	return { text: said.text + ': ' + text, copy }
})
`

const asking = `import { agent } from 'berth'
export default agent(async ({ tag }, ctx) => {
	const said = await ctx.model('Think about ' + tag)
	const helped = await ctx.tools.call('crash-callee', { of: tag })
	if (!helped.ok) throw new Error(helped.output)
	return said.text + ': ' + helped.output
})
`
const callee = `import { agent } from 'berth'
export default agent(async ({ of }, ctx) => (await ctx.model('Help ' + of)).text)
`

const sources: Partial<Record<Kind, Record<string, string>>> = {
	program: { 'agent.ts': program },
	files: { 'agent.ts': files },
	agents: { 'agent.ts': asking },
	callee: { 'agent.ts': callee },
	memory: {
		'agent.ts': diary,
		...Object.fromEntries(diaries.map((name) => [`memory/${name}`, '# Diary\n'])),
	},
}

const httpOf = ({ url, idempotentUrl }: Shop) => `http:
  ${url}: { methods: [GET, POST], headers: { X-Key: '{{secret.shop}}' }, timeout_seconds: 300 }
  ${idempotentUrl}: { methods: [POST], idempotent: true, timeout_seconds: 300 }
`

const inputsOf = (kind: Kind) => {
	if (kind === 'callee')
		return 'inputs: { type: object, properties: { of: { type: string } }, required: [of] }\n'
	const note = kind === 'files' ? ', note: { type: file, accept: [text/plain] }' : ''
	const output = 'output: { type: object, properties: { text: { type: string }, copy: { type: file } } }\n'
	return `inputs: { type: object, properties: { tag: { type: string }${note} }, required: [tag] }\n${note && output}`
}

function bundle(kind: Kind, { models, tools, vault, shop }: World, agent: string): Promise<Uint8Array> {
	const connectors: Partial<Record<Kind, [url: string, auth: string, tools: string, marked: string]>> = {
		oauth: [vault.url, 'oauth', 'lookup', 'lookup'],
		agents: [agent, 'bearer', 'crash-callee', 'crash-callee'],
	}
	const [url, auth, names, marked] = connectors[kind] ?? [tools.url, 'none', 'lookup, charge, pay', 'lookup']
	return bundleOf({
		model: `{ provider: openai, name: ${kind}, base_url: "${models.openaiUrl}" }`,
		yaml: `${inputsOf(kind)}requires:
  - { connector: "${url}", scopes: [], auth: ${auth}, kind: connector, tools: [${names}] }
tools:
  "${url}/${marked}": { idempotent: true }
${kind === 'approval' ? `  "${url}/pay": { approval: required }\n` : ''}${kind === 'http' ? httpOf(shop) : ''}connectors:
  "${url}": { timeout_seconds: 300 }
`,
		files: kind === 'http' ? { 'agent.ts': shopping(shop) } : (sources[kind] ?? {}),
	})
}

/** Of a host that stands still nothing comes. */
const patienceMs = 20_000

export function caller(base: string): TestHost['call'] {
	return async <T>(path: string, { method, token, json, body }: Call = {}) => {
		const sent = json === undefined ? body : JSON.stringify(json)
		const response = await fetch(new URL(path, base), {
			method: method ?? (sent === undefined ? 'GET' : 'POST'),
			headers: {
				...(token !== undefined && { authorization: `Bearer ${token}` }),
				...(json !== undefined && { 'content-type': 'application/json' }),
			},
			...(sent !== undefined && { body: sent }),
			signal: AbortSignal.timeout(patienceMs),
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
