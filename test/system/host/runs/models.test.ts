import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DryRun } from '../../../../host/api/deployments.ts'
import type { ReplayReport } from '../../../../host/api/replay.ts'
import type { RunEvent } from '../../../../host/api/runs.ts'
import { createClient } from '../../../../host/owner/client/index.ts'
import { bundleOf, type Running, upload } from '../../../kit/agent.ts'
import { berth } from '../../../kit/berth.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

// An agent with models at two providers, each with its own key: by name, and one in place of another that fails.

const [FIRST, OTHER] = ['sk-first-0123456789', 'sk-other-0123456789']
let host: TestHost
let account: TestAccount
let [first, other]: ModelServer[] = []
let bundle: Uint8Array
const folder = mkdtempSync(join(tmpdir(), 'berth-models-'))

const program = `import { agent } from 'berth'
export default agent(async (_, ctx) => {
	const a = await ctx.model('hi')
	const b = await ctx.model('hi', { model: 'deep', temperature: 0 })
	const { vectors } = await ctx.embed({ model: 'vectors', input: 'ab' })
	return [a.model, a.text, b.model, b.text, vectors]
})
`

beforeAll(async () => {
	first = await startModelServer({ 'm-first': { fault: { status: 529 } } }, { key: FIRST })
	other = await startModelServer(
		{ 'm-second': { text: 'From the second.' }, 'm-deep': { text: 'From the deep.' }, 'm-vectors': {} },
		{ key: OTHER },
	)
	host = await sharedHost()
	account = await host.account({ plan: 'team' })
	bundle = await bundleOf({
		model: `
  - { provider: openai, name: m-first, base_url: "${first.openaiUrl}", retry_seconds: 0 }
  - { provider: anthropic, name: m-second, base_url: "${other.url}", key: other }`,
		yaml: `models:
  deep: { provider: openai, api: chat, name: m-deep, base_url: "${other.openaiUrl}", key: other, effort: low }
  vectors: { provider: openai, name: m-vectors, base_url: "${other.openaiUrl}", key: other }
inputs: { type: object }
output: { type: array }
`,
		files: { 'agent.ts': program },
	})
	writeFileSync(join(folder, 'a.agent'), bundle)
})
afterAll(async () => {
	rmSync(folder, { recursive: true })
	await host?.close()
	await Promise.all([first?.close(), other?.close()])
})

/** `berth deploy` with these keys. */
const deployed = (name: string, ...keys: string[]) =>
	berth(
		[
			...['deploy', join(folder, 'a.agent'), '--name', name, '--json'],
			...keys.flatMap((key) => ['--provider-key-env', key]),
		],
		{ env: { BERTH_URL: host.url, BERTH_TOKEN: account.token, FIRST, OTHER } },
	)

// Proves: model.named
test('each address has a key of its own, which is asked for, sealed and checked', async () => {
	const { body } = await host.call<DryRun>('/v1/deployments?dry_run=true', {
		token: account.token,
		body: upload(bundle, { name: 'dry' }),
	})
	const origin = new URL(other?.url ?? '').origin
	expect(body).toMatchObject({
		credentials: [
			{ name: 'provider', kind: 'provider', needed_by: 'openai' },
			{ name: 'provider:other', kind: 'provider', needed_by: origin, aud: origin },
		],
	})
	const lacking = await deployed('lacking', 'FIRST')
	expect([lacking.code, lacking.stderr]).toEqual([2, expect.stringContaining('--provider-key-env other=VAR')])
	const unknown = await deployed('unknown', 'FIRST', 'other=OTHER', 'nope=OTHER')
	expect([unknown.code, unknown.stderr]).toEqual([
		2,
		expect.stringContaining(
			'--provider-key-env nope: the agent needs --provider-key-env VAR, --provider-key-env other=VAR',
		),
	])
	const wrong = await deployed('wrong', 'FIRST', 'other=FIRST')
	expect(wrong.code).not.toBe(0)
	expect(wrong.stderr).toContain('the provider answered 401')
	const shown = await berth(['inspect', join(folder, 'a.agent')], {})
	expect(shown.stdout).toMatch(/^model +openai m-first at .*, then anthropic m-second at /m)
	expect(shown.stdout).toMatch(/^keys +provider, provider:other$/m)
})

// Proves: model.fallbacks, model.named, model.options, model.fallback-replay, model.embed
test('a model by name is asked at its own address, and the next one where the first is overloaded', async () => {
	const made = await deployed('both', 'FIRST', 'other=OTHER')
	expect(made.code).toBe(0)
	const agent = JSON.parse(made.stdout) as Running
	const events: RunEvent[] = []
	for await (const event of createClient({ baseUrl: host.url, token: agent.run_key }).runs.stream(
		agent.url,
		{},
	))
		events.push(event)
	const dataOf = (wanted: string) => events.filter(({ type }) => type === wanted).map(({ data }) => data)
	expect(dataOf('run.completed')).toMatchObject([
		{
			output: ['m-second', 'From the second.', 'm-deep', 'From the deep.', [[2, 97, 0.5]]],
			usage: { model_calls: 4 },
		},
	])
	expect(dataOf('model.retrying')).toMatchObject([
		{
			error: { code: 'provider_unavailable', message: expect.stringContaining('529') },
			next: { provider: 'anthropic', model: 'm-second' },
		},
	])
	expect(
		other?.requests.map(({ path, body }) => [path, body.model, body.reasoning_effort, body.temperature]),
	).toEqual([
		['/v1/messages', 'm-second', undefined, undefined],
		['/v1/chat/completions', 'm-deep', 'low', 0],
		['/v1/embeddings', 'm-vectors', undefined, undefined],
	])
	expect(JSON.stringify(first?.requests)).not.toContain(OTHER)
	expect(JSON.stringify(other?.requests)).not.toContain(FIRST)
	const id = events[0]?.run
	const replay = await host.call<ReplayReport>(`/v1/runs/${id}/replay`, {
		method: 'POST',
		token: account.token,
	})
	expect(replay.body).toMatchObject({ same: true })
	expect([first?.requests.length, other?.requests.length]).toEqual([1, 3])
})
