// How the guard gets a large judge, told in one line by `berth serve`, `berth doctor` and the demo.
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { largeJudgeHint } from '../../../host/owner/cli/local-models.ts'
import { judgeHint } from '../../../host/settings/config.ts'

const open: (() => void)[] = []
afterEach(() => {
	for (const close of open.splice(0)) close()
})

async function listening(answer: RequestListener): Promise<number> {
	const server = createServer(answer)
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	open.push(() => {
		server.close()
		server.closeAllConnections()
	})
	return (server.address() as AddressInfo).port
}

const listing = (models: unknown) => (_: unknown, response: Parameters<RequestListener>[1]) =>
	void response.end(JSON.stringify({ object: 'list', data: models }))

// Proves: cli.judge-hint
test('a key in the environment is named by its variable, unless the operator chose a judge', async () => {
	const env = { OPENAI_API_KEY: 'sk-secret' }
	const hint = judgeHint(env)
	expect(hint).toContain(
		'GUARD_JUDGE=builtin,openai GUARD_JUDGE_URL=https://api.openai.com GUARD_JUDGE_MODEL=gpt-4.1-mini GUARD_JUDGE_KEY=$OPENAI_API_KEY',
	)
	expect(hint).not.toContain('sk-secret')
	expect(hint).not.toContain('\n')
	expect(await largeJudgeHint(env, [])).toBe(hint)
	expect(judgeHint({ ...env, OPENAI_MODEL: 'x; rm -rf .' })).not.toContain('rm')
	expect(await largeJudgeHint({ ...env, GUARD_JUDGE: 'builtin' }, [])).toBeNull()
	expect(judgeHint({})).toBeNull()
})

// Proves: cli.judge-hint
test('a model server on loopback is found without a key, and what is none is passed over', async () => {
	const keys: (string | undefined)[] = []
	const silent = await listening(() => {})
	const model = await listening((request, response) => {
		keys.push(request.headers.authorization)
		listing([{ id: 'qwen3:8b' }])(request, response)
	})
	const page = await listening((_, response) => void response.end('<html>'))
	const moved = await listening(
		(_, response) => void response.writeHead(302, { location: `http://127.0.0.1:${model}/v1/models` }).end(),
	)
	const odd = await listening(listing([{ id: '$(reboot)' }]))
	const long = await listening(
		(_, response) => void response.end(`{"data":[{"id":"m"}],"x":"${'x'.repeat(100_000)}"}`),
	)
	expect(await largeJudgeHint({}, [page, moved, odd, long, 9])).toBeNull()
	expect(await largeJudgeHint({}, [silent, odd, model])).toContain(
		`A model server answers at http://127.0.0.1:${model}. GUARD_JUDGE=builtin,openai GUARD_JUDGE_URL=http://127.0.0.1:${model} GUARD_JUDGE_MODEL=qwen3:8b gives`,
	)
	expect(keys).toEqual([undefined])
})
