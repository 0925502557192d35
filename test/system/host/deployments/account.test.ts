import { expect, test } from 'vitest'
import type { CreatedDeployment } from '../../../../host/api/deployments.ts'
import { seal } from '../../../../host/owner/client/index.ts'
import { bundleOf, create, deploy, run, until } from '../../../kit/agent.ts'
import { startMcpServer } from '../../../kit/mcp-server.ts'
import { startModelServer } from '../../../kit/model-server.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

// Proves: deployment.disabled-account
test('an account that is disabled has its agents stopped and its run keys refused', async () => {
	const models = await startModelServer({
		m: { text: 'Hello.' },
		endless: { text: 'Never.', delayMs: 60_000 },
	})
	const using = (name: string) =>
		bundleOf({ model: `{ provider: openai, name: ${name}, base_url: "${models.openaiUrl}" }` })
	const host = await sharedHost()
	const [account, other] = [await host.account({ plan: 'pro' }), await host.account()]
	const agents = [
		await deploy(host, account, await using('m')),
		await deploy(host, account, await using('endless')),
	] as const
	const theirs = await deploy(host, other, await using('m'))
	await create(host, account, await using('m'), 'abandoned')
	const live = run(host, agents[1])
	await until(
		async () =>
			(await host.call<{ data: unknown[] }>('/v1/runs', { token: account.token })).body.data.length === 1,
	)
	const disabled = await host.call(`/v1/admin/accounts/${account.id}`, {
		method: 'PATCH',
		token: host.operator,
		json: { disabled: true },
	})
	expect(disabled.status).toBe(200)
	expect((await live).body).toMatchObject({ code: 'cancelled' })
	for (const agent of agents) expect((await run(host, agent)).status).toBe(403)
	expect((await run(host, theirs)).status).toBe(200)
	await host.call(`/v1/admin/accounts/${account.id}`, {
		method: 'PATCH',
		token: host.operator,
		json: { disabled: false },
	})
	const list = await host.call<{ data: { state: string; state_reason: string }[] }>('/v1/deployments', {
		token: account.token,
	})
	expect(list.body.data.map(({ state, state_reason }) => [state, state_reason])).toEqual(
		Array.from({ length: 3 }, () => ['stopped', 'The account was disabled.']),
	)
	await host.close()
	await models.close()
})

// Proves: credential.not-connected-409, deployment.dry-run-credentials
test('a run is refused, and nothing is spent, until the connector it needs has its credential', async () => {
	const mcp = await startMcpServer({ token: 'mcp-secret' })
	const tool = mcp.options.tools[0]?.name ?? ''
	const models = await startModelServer({
		m: [{ calls: [{ name: tool, input: { text: 'hi' } }] }, { text: 'Done.' }],
	})
	const bundle = await bundleOf({
		model: `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }`,
		yaml: `requires:\n  - { connector: "${mcp.url}", scopes: [], auth: bearer, kind: connector, tools: [${tool}] }\n`,
	})
	const host = await sharedHost()
	const account = await host.account()
	const agent = await deploy(host, account, bundle)
	expect(agent.credentials.map(({ name, kind, state }) => [name, kind, state])).toEqual([
		['provider', 'provider', 'ready'],
		[expect.stringMatching(/^connector:127-0-0-1-\d+/), 'bearer', 'missing'],
	])
	const before = models.requests.length
	const refused = await run(host, agent)
	expect([refused.status, refused.body.code]).toEqual([409, 'connector_not_connected'])
	expect(models.requests.length).toBe(before)
	const { name, aud } = agent.credentials[1]!
	const put = async (secret: Record<string, unknown>) => {
		const jwe = await seal(agent.sealing_key, { deployment: agent.id, name, aud }, secret)
		return host.call(`${agent.url}/credentials/${name}`, {
			method: 'PUT',
			token: account.token,
			json: { jwe },
		})
	}
	expect((await put({ access_token: 'a', refresh_token: 'b' })).body).toMatchObject({
		code: 'credential_rejected',
	})
	expect((await put({ token: 'mcp-secret' })).status).toBe(200)
	const answer = await run(host, agent)
	expect([answer.status, answer.body.output]).toEqual([200, 'Done.'])
	expect(mcp.calls).toHaveLength(1)
	const now = (await host.call<CreatedDeployment>(`/v1/deployments/${agent.id}`, { token: account.token }))
		.body
	expect(now.credentials.map(({ state }) => state)).toEqual(['ready', 'ready'])
	await host.close()
	await models.close()
	await mcp.close()
})
