import { afterAll, beforeAll, expect, it } from 'vitest'
import { berth } from '../../../kit/berth.ts'
import type { TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { repository } from '../../../kit/repository.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

// Replay with the command line: offline, and with what a changed agent would do instead.

let host: TestHost
let model: ModelServer
let env: Record<string, string>

beforeAll(async () => {
	model = await startModelServer({ poet: { text: 'a poem' } })
	host = await sharedHost()
	const { token } = await host.account({ plan: 'pro' })
	env = { BERTH_URL: host.url, BERTH_TOKEN: token, PROVIDER_KEY: 'sk-test' }
})
afterAll(async () => {
	await host?.close()
	await model?.close()
})

// Proves: journal.replay-offline
it('berth replay says that a run is the same, and shows where a changed agent parts from it', async () => {
	const { root, write, commit } = repository({
		'agent.yaml': `name: poet\nmodel: { provider: openai, name: poet, base_url: "${model.openaiUrl}" }\n`,
		'prompt.md': 'Write about ships.\n',
	})
	await berth(['deploy', root, '--name', 'poet', '--provider-key-env', 'PROVIDER_KEY', '--json'], { env })
	const made = await berth(['run', 'poet', '--json'], { env })
	const { id } = JSON.parse(made.stdout) as { id: string }
	expect(await berth(['replay', id], { env })).toMatchObject({
		code: 0,
		stdout: expect.stringMatching(/^same: \d+ effects, all as recorded\n$/),
	})
	expect(await berth(['replay', id, '--version', '1'], { env })).toMatchObject({ code: 0 })
	expect(await berth(['replay', id, '--version', 'one'], { env })).toMatchObject({
		code: 2,
		stderr: expect.stringContaining('--version one: give a number'),
	})
	write({ 'prompt.md': 'Write about planes.\n' })
	commit()
	const parted = await berth(['replay', id, '--bundle', root], { env })
	expect(parted.code).toBe(1)
	expect(parted.stdout).toMatch(/recorded: model .*ships.*\n.*asked for: model .*planes/)
	expect(model.requests).toHaveLength(1)
})
