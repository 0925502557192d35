import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { bundleOf, deploy } from '../../../kit/agent.ts'
import { berth } from '../../../kit/berth.ts'
import type { TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { type Receiver, startReceiver, status } from '../../../kit/receiver.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

let host: TestHost
let models: ModelServer
let env: Record<string, string>

beforeAll(async () => {
	models = await startModelServer({ m: { text: 'Done.' } })
	host = await sharedHost()
	const account = await host.account()
	env = { BERTH_URL: host.url, BERTH_TOKEN: account.token }
	const bundle = await bundleOf({ model: `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }` })
	await deploy(host, account, bundle, 'hooked')
})
afterAll(async () => {
	await host?.close()
	await models?.close()
})

const run = (...args: string[]) => berth(args, { env })
async function json<T>(...args: string[]): Promise<T> {
	const result = await run(...args, '--json')
	if (result.code !== 0) throw new Error(`berth ${args.join(' ')}: ${result.stdout}${result.stderr}`)
	return JSON.parse(result.stdout) as T
}

// Proves: cli.webhooks-ping
it('berth webhooks ping tells what came of each endpoint, and enable and disable switch one', async () => {
	const receivers = await Promise.all([startReceiver(), startReceiver(), startReceiver()])
	onTestFinished(async () => void (await Promise.all(receivers.map(({ close }) => close()))))
	const [good, off, bad] = receivers as [Receiver, Receiver, Receiver]
	const ids = new Map<Receiver, string>()
	for (const one of receivers) {
		const { id } = await json<{ id: string }>('webhooks', 'hooked', 'add', one.url)
		ids.set(one, id)
	}
	expect((await run('webhooks', 'hooked', 'disable', ids.get(off) ?? '')).stdout).toContain('is disabled')
	bad.answers.push(status(308))
	const moved = await run('webhooks', 'hooked', 'ping')
	expect(moved.stdout).toContain(' 308, a redirect, which is not followed, in ')
	bad.answers.push(status(500))
	const { code, stdout } = await run('webhooks', 'hooked', 'ping')
	expect(code).toBe(1)
	const lineOf = (one: Receiver) => stdout.split('\n').find((line) => line.startsWith(ids.get(one) ?? '?'))
	expect(lineOf(good)).toMatch(/ delivered .* 200 in /)
	expect(lineOf(bad)).toMatch(/ failed .* 500 in /)
	expect(lineOf(off)).toContain(`enable ${ids.get(off)}`)
	expect(lineOf(off)).toMatch(/berth webhooks dep_\w+ enable/)
	const enabled = await run('webhooks', 'hooked', 'enable', ids.get(off) ?? '')
	expect(enabled).toMatchObject({
		code: 0,
		stdout: expect.stringContaining('berth webhooks hooked deliveries'),
	})
	const again = await json<{ data: { status: string }[] }>('webhooks', 'hooked', 'ping')
	expect(again.data.map((one) => one.status)).toEqual(['delivered', 'delivered', 'delivered'])
})
