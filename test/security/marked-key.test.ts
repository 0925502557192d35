import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundleOf, create, putProviderKey, type Running, run, until } from '../kit/agent.ts'
import { type TestAccount, type TestHost, withHost } from '../kit/host.ts'
import { startModelServer } from '../kit/model-server.ts'
import { forms, scanFile, scanProcess } from './memory-scan.ts'

// A marked provider key is found nowhere but in the runtime, during and after a run that uses it.

/** `+` and `/`: its URL-encoded form differs from the raw one. */
const marked = () => `sk-mark+/${randomBytes(18).toString('hex')}`

// Proves: credential.never-in-clear
test('a provider key is in the runtime alone, during and after a run', async () => {
	const key = marked()
	const planted = marked()
	// Answers when the memory has been read.
	const scanned = Promise.withResolvers<void>()
	const model = await startModelServer({ m: () => scanned.promise.then(() => ({ text: 'Hello' })) }, { key })
	const echo = await startModelServer({ m: { fault: { status: 500, echo: true } } })
	try {
		await withHost(
			{ database: 'embedded', egressAllow: [model, echo].map(({ port }) => `127.0.0.1:${port}`) },
			async (host) => {
				const account = await host.account({ plan: 'pro' })
				const bundle = await bundleOf({ model: address(model.openaiUrl) })
				const created = await create(host, account, bundle, 'marked')
				await putProviderKey(host, created.body, account.token, key)
				const started = await host.call<Running>(`/v1/deployments/${created.body.id}/start`, {
					method: 'POST',
					token: account.token,
				})
				expect(started.status).toBe(200)

				const answer = run(host, started.body, { planted })
				await until(async () => model.requests.some(({ path }) => path === '/v1/responses'))
				const parts = processes(host)
				expect([...parts.keys()]).toEqual(expect.arrayContaining(['host', 'runtime', 'sandbox', 'postgres']))

				// The scanner sees: an input of the run under way lies in host and sandbox, the key in the runtime.
				expect(found(parts, ['host'], planted)).not.toEqual([])
				expect(found(parts, ['sandbox'], planted)).not.toEqual([])
				expect(found(parts, ['runtime'], key)).not.toEqual([])
				expect(found(parts, ['host', 'sandbox', 'postgres'], key)).toEqual([])

				scanned.resolve()
				expect((await answer).body).toMatchObject({ status: 'succeeded', output: 'Hello' })
				const failed = await echoed(host, account, echo.openaiUrl, key)
				expect(failed.status).toBe(502)
				for (const [form, needle] of forms(key))
					expect(Buffer.from(failed.text).includes(needle), `the answer holds the key: ${form}`).toBe(false)
				expect(found(processes(host), ['host', 'sandbox', 'postgres'], key)).toEqual([])
				expect(inFiles(host.dataDir, key)).toEqual([])
				expect(host.logs().join('\n')).not.toContain(key)
			},
		)
	} finally {
		await Promise.all([model.close(), echo.close()])
	}
}, 90_000)

/** A run whose provider answers 500 with the key it was given in headers and body. */
async function echoed(host: TestHost, account: TestAccount, url: string, key: string) {
	const bundle = await bundleOf({ model: address(url) })
	const created = await create(host, account, bundle, 'echoed')
	await putProviderKey(host, created.body, account.token, key)
	const started = await host.call<Running>(`/v1/deployments/${created.body.id}/start`, {
		method: 'POST',
		token: account.token,
	})
	return run(host, started.body)
}

const address = (url: string) =>
	`{ provider: openai, name: m, base_url: ${url}, api: responses, retry_seconds: 0 }`

/** Process ids by what runs there; `postgres` is all of its processes. */
function processes(host: TestHost): Map<string, number[]> {
	const parts = new Map<string, number[]>()
	for (const pid of host.processes()) {
		const name = nameOf(pid)
		if (name) parts.set(name, [...(parts.get(name) ?? []), pid])
	}
	return parts
}

function nameOf(pid: number): string | undefined {
	const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
	return (
		/dist\/(host|runtime|sandbox)\.mjs/.exec(line)?.[1] ??
		(line.includes('postgres') ? 'postgres' : undefined)
	)
}

function found(parts: Map<string, number[]>, names: string[], secret: string): string[] {
	const needles = forms(secret)
	return names.flatMap((name) =>
		(parts.get(name) ?? []).flatMap((pid) =>
			scanProcess(pid, needles).map((form) => `${name} ${pid}: ${form}`),
		),
	)
}

/** Database and everything beside it. */
function inFiles(root: string, secret: string): string[] {
	const needles = forms(secret)
	return readdirSync(root, { recursive: true, encoding: 'utf8' })
		.map((path) => join(root, path))
		.filter((path) => statSync(path).isFile())
		.flatMap((path) => scanFile(path, needles).map((form) => `${path}: ${form}`))
}
