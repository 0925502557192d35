import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleOf, deploy, type Running, run, until } from '../../../kit/agent.ts'
import type { TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

// Inputs whose check takes too long cost their sender, never a neighbour.

let host: TestHost
let models: ModelServer

const schema = (pattern: string) =>
	`inputs:\n  type: object\n  properties:\n    s: { type: string, pattern: '${pattern}' }\n`
const bad = { s: `${'a'.repeat(40)}!` }
const model = () => `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }`

beforeAll(async () => {
	models = await startModelServer({ m: { text: 'Hello.' } }, { key: 'sk-test' })
	host = await sharedHost()
})
afterAll(async () => {
	await host?.close()
	await models?.close()
})

const deployed = async (pattern: string): Promise<Running & { token: string }> => {
	const account = await host.account()
	const running = await deploy(host, account, await bundleOf({ model: model(), yaml: schema(pattern) }))
	return { ...running, token: account.token }
}

// Proves: input.slow-key-throttled
test('sixty bad calls of one run key are refused, and a neighbour with a pattern of its own is answered', async () => {
	const [slow, neighbour] = [await deployed('^(a+)+$'), await deployed('^[a-z]+$')]
	let ended = 0
	const calls = Array.from({ length: 60 }, async () => {
		const answer = await run(host, slow, bad)
		ended++
		return answer
	})
	const theirs = await run(host, neighbour, { s: 'abc' })
	expect(theirs.status).toBe(200)
	expect(ended).toBeLessThan(60)
	const answers = await Promise.all(calls)
	const timedOut = answers.filter(({ status }) => status === 422)
	expect(timedOut).toHaveLength(3)
	expect(timedOut[0]?.body).toMatchObject({
		code: 'inputs_invalid',
		detail:
			'The inputs do not fit the agent: inputs takes over 250 ms of CPU time to check against its schema. The input schema of version 1 can take too long to check (look at /inputs/properties/s/pattern in agent.yaml).',
	})
	for (const { status, headers, body } of answers.filter((answer) => answer.status !== 422)) {
		expect([status, body.code]).toEqual([429, 'rate_limited'])
		expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
		expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60)
	}

	// Another key of the same deployment is heard, and the owner reads which schema it is.
	const key = await host.call<{ run_key: string }>(`/v1/deployments/${slow.id}/keys`, {
		token: slow.token,
		json: { name: 'other', scopes: ['run'] },
	})
	expect((await run(host, slow, { s: 'aaa' }, {}, key.body.run_key)).status).toBe(200)
	await until(async () => {
		const { body } = await host.call(`/v1/deployments/${slow.id}`, { token: slow.token })
		return String(body.state_reason).includes('/inputs/properties/s/pattern')
	})
})
