import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
	Client as ClientV2,
	StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { ReplayReport } from '../../../../host/api/replay.ts'
import type { Run, RunEvent } from '../../../../host/api/runs.ts'
import { createClient } from '../../../../host/owner/client/index.ts'
import { bundleOf, deploy, type Running, run, until, withSql } from '../../../kit/agent.ts'
import { berth } from '../../../kit/berth.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer, type Turn } from '../../../kit/model-server.ts'
import { runtimeOf } from '../../../kit/pair.ts'
import { type Receiver, startReceiver } from '../../../kit/receiver.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

// An agent whose provider searches the web for it, over real HTTP: what its caller, its owner and its webhooks are told,
// and what the provider is sent after the runtime has died.

let host: TestHost
let account: TestAccount
let models: ModelServer
let receiver: Receiver

const page = { url: 'https://a.example/tower', title: 'Tower' }
const found: Turn = {
	preamble: 'Let me look.',
	text: 'It opened in 1889.',
	searches: [{ query: 'tower opening', found: [page] }],
	cites: [{ quote: '1889', ...page, cited_text: 'was opened in 1889' }],
}
const cited = { type: 'url_citation', ...page }
/** Where `1889` is in the answer of each interface. */
const places = {
	messages: { cited_text: 'was opened in 1889', start_index: 27, end_index: 31 },
	responses: { start_index: 13, end_index: 17 },
	chat: { start_index: 13, end_index: 17 },
}
type Api = keyof typeof places
const modelOf = (api: Api, name: string) =>
	api === 'messages'
		? `{ provider: anthropic, name: ${name}, base_url: "${models.url}", web_search: true }`
		: `{ provider: openai, api: ${api}, name: ${name}, base_url: "${models.openaiUrl}", web_search: true }`

beforeAll(async () => {
	models = await startModelServer({
		m: found,
		// Searches, calls a tool, and takes its time with the answer: once.
		slow: ({ turn, count }: { turn: number; count: number }) =>
			turn === 0
				? { ...found, cites: [], text: 'Now I count.', calls: [{ name: 'count', input: {} }] }
				: { ...found, delayMs: count === 1 ? 60_000 : 0 },
	} as never)
	receiver = await startReceiver()
	host = await sharedHost()
	account = await host.account({ plan: 'team' })
})
afterAll(async () => {
	await host?.close()
	await Promise.all([models?.close(), receiver?.close()])
})

const ran = async (agent: Running) => (await run(host, agent)).body as unknown as Run
const replayed = async (id: string) =>
	(await host.call<ReplayReport>(`/v1/runs/${id}/replay`, { method: 'POST', token: account.token })).body

// Proves: search.citations, search.counted, search.opt-in
test.each(Object.keys(places) as Api[])(
	'%s: caller, stream, owner and webhook are told the sources',
	async (api) => {
		const agent = await deploy(host, account, await bundleOf({ model: modelOf(api, 'm') }))
		await host.call(`/v1/deployments/${agent.id}/endpoints`, {
			token: account.token,
			json: { url: receiver.url },
		})
		const citations = [{ ...cited, ...places[api] }]
		const answer = await ran(agent)
		expect(answer).toMatchObject({ status: 'succeeded', citations, usage: { web_searches: 1 } })
		const { output, id } = answer
		expect(String(output).slice(places[api].start_index, places[api].end_index)).toBe('1889')
		const read = await host.call<Run>(`${agent.url}/runs/${id}`, { token: agent.run_key })
		expect(read.body.citations).toEqual(citations)
		const events: RunEvent[] = []
		const client = createClient({ baseUrl: host.url, token: agent.run_key })
		for await (const event of client.runs.stream(agent.url, {})) events.push(event)
		const dataOf = (wanted: string) => events.find(({ type }) => type === wanted)?.data
		expect(dataOf('model.completed')).toMatchObject({ citations, usage: { web_searches: 1 } })
		expect(dataOf('run.completed')).toMatchObject({ output, citations, usage: { web_searches: 1 } })
		const hook = await until(async () => receiver.received.find(({ body }) => body.includes(id)))
		expect(JSON.parse(hook.body).data).toMatchObject({ output, citations })
		expect(await replayed(id)).toMatchObject({ same: true })
		const { body } = await host.call<Running>(`/v1/deployments/${agent.id}`, { token: account.token })
		const most = api === 'chat' ? 1 : 5
		expect(body.agent.web_search).toEqual([
			{ provider: api === 'messages' ? 'anthropic' : 'openai', model: 'm', max_uses: most },
		])
	},
)

// Proves: search.citations
test('an agent that is called over MCP gives its sources in `_meta`', async () => {
	const agent = await deploy(host, account, await bundleOf({ model: modelOf('messages', 'm') }), 'searcher')
	const client = new ClientV2({ name: 'test', version: '1' })
	await client.connect(
		new TransportV2(new URL(`${agent.url}/mcp`), {
			requestInit: { headers: { authorization: `Bearer ${agent.run_key}` } },
		}),
	)
	const result = await client.callTool({ name: 'searcher', arguments: {} })
	expect(result._meta?.['berth/citations']).toEqual([{ ...cited, ...places.messages }])
	await client.close()
})

// Proves: search.kept, search.citations
test.each(['messages', 'responses'] as const)(
	'%s: what is sent after a kill is what was sent before, and the replay is the same',
	async (api) => {
		const name = `slow-${api}`
		models.scripts[name] = models.scripts.slow as never
		const agent = await deploy(
			host,
			account,
			await bundleOf({
				model: modelOf(api, name),
				files: {
					'skills/s/SKILL.md': '---\nname: s\ndescription: Counts\n---\nCount.\n',
					'skills/s/tools.ts': `import { tool } from 'berth'
export const count = tool({ description: 'Counts', input: { type: 'object' }, run: () => '3' })
`,
				},
			}),
		)
		const asked = () => models.requests.filter(({ body }) => body.model === name)
		const answer = ran(agent)
		await until(async () => asked().length === 2)
		const written = () =>
			withSql(host, async (sql) => {
				const [row] = await sql`
					select 1 from journal j join runs r on r.id = j.run_id
					where r.deployment_id = ${agent.id} and j.entries like '%model.completed%'`
				return row
			})
		await until(written)
		process.kill(runtimeOf(host), 'SIGKILL')
		expect(await answer).toMatchObject({
			status: 'succeeded',
			citations: [{ ...cited, ...places[api] }],
		})
		const [, before, after, ...more] = asked()
		expect(more).toEqual([])
		expect(JSON.stringify(after?.body)).toBe(JSON.stringify(before?.body))
		expect(JSON.stringify(after?.body)).toMatch(api === 'messages' ? /sealed:https/ : /web_search_call/)
		expect(await replayed((await answer).id)).toMatchObject({ same: true })
	},
)

// Proves: search.opt-in
test('`berth inspect` and the wizard name who searches, and how', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'berth-search-'))
	onTestFinished(() => rmSync(folder, { recursive: true }))
	const file = join(folder, 'a.agent')
	writeFileSync(
		file,
		await bundleOf({
			model: '[{ provider: openai, name: m, web_search: true }, { provider: anthropic, name: n }]',
			yaml: 'models: { deep: { provider: anthropic, name: d, web_search: { max_uses: 2, blocked_domains: [a.io] } } }\n',
		}),
	)
	const { stdout } = await berth(['inspect', file], {})
	const [first, second] = ['openai m (5 a call)', 'anthropic d (2 a call, blocked_domains ["a.io"])']
	expect(stdout).toMatch(/^web search +/m)
	expect(stdout).toContain(`${first}; ${second}\n`)
	const env = { BERTH_URL: host.url, BERTH_TOKEN: account.token }
	const dry = await berth(['deploy', file, '--name', 'dry', '--dry-run'], { env })
	for (const line of [first, second])
		expect(dry.stdout).toContain(`\nIts provider searches the web: ${line}\n`)
	writeFileSync(file, await bundleOf({ model: modelOf('messages', 'm') }))
	const key = ['--provider-key-env', 'KEY']
	const real = await berth(['deploy', file, '--name', 'real', ...key], { env: { ...env, KEY: 'k' } })
	const told = 'Its provider searches the web: anthropic m (5 a call)\n'
	expect([real.code, real.stderr]).toEqual([0, expect.stringContaining(told)])
	const answer = await berth(['run', 'real'], { env })
	expect(answer.stdout).not.toContain('Sources')
	expect(answer.stderr).toContain(`Sources:\n  Tower: ${page.url}\n`)
	// An update tells it, too.
	await deploy(host, account, await bundleOf({}), 'plain')
	expect((await berth(['update', 'plain', file], { env })).stderr).toContain(told)
})
