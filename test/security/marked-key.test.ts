import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { seal } from '../../host/owner/client/index.ts'
import { bundleOf, create, deploy, putProviderKey, type Running, run, until } from '../kit/agent.ts'
import { type TestAccount, type TestHost, withHost } from '../kit/host.ts'
import { startModelServer } from '../kit/model-server.ts'
import { startReceiver } from '../kit/receiver.ts'
import { forms, scanFile, scanProcess, unlessGone } from './memory-scan.ts'

// A marked provider key, and a marked secret of `http`, are found nowhere but in the runtime, during and after a run.

/** `+` and `/`: its URL-encoded form differs from the raw one. */
const marked = () => `sk-mark+/${randomBytes(18).toString('hex')}`

// Proves: credential.never-in-clear, http.secret-placed, http.secret-echoed
test('a provider key and a secret of `http` are in the runtime alone, during and after a run', async () => {
	const [key, secret] = [marked(), marked()]
	const planted = marked()
	// Answers when the memory has been read.
	const scanned = Promise.withResolvers<void>()
	const model = await startModelServer({ m: () => scanned.promise.then(() => ({ text: 'Hello' })) }, { key })
	const echo = await startModelServer({ m: { fault: { status: 500, echo: true } } })
	const origin = await startReceiver()
	try {
		await withHost(
			{
				database: 'embedded',
				egressAllow: [model.port, echo.port, new URL(origin.url).port].map((port) => `127.0.0.1:${port}`),
			},
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

				origin.answers.push((response) => {
					expect(found(processes(host), ['runtime'], secret)).not.toEqual([])
					expect(found(processes(host), ['host', 'sandbox'], secret)).toEqual([])
					sendBack(response, secret)
				})
				const back = await asked(host, account, model.openaiUrl, key, new URL(origin.url).origin, secret)
				expect(back.body).toMatchObject({
					status: 'succeeded',
					output: expect.stringContaining('[redacted]'),
				})
				expect(origin.received).toMatchObject([{ headers: { 'x-key': secret } }])

				expect(found(processes(host), ['host', 'sandbox', 'postgres'], key, secret)).toEqual([])
				expect(inFiles(host.dataDir, key, secret)).toEqual([])
				for (const one of [key, secret]) expect(host.logs().join('\n')).not.toContain(one)
			},
		)
	} finally {
		await Promise.all([model.close(), echo.close(), origin.close()])
	}
}, 240_000)

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

/** In headers and body, in every form that a text may have it in. */
function sendBack(response: ServerResponse, secret: string): void {
	const bytes = Buffer.from(secret)
	const encoded = ['', 'x', 'xx'].map((before) => Buffer.from(`${before}${secret}`).toString('base64'))
	response.writeHead(200, { 'x-echo': secret, 'x-basic': encoded[1] })
	response.end(JSON.stringify([secret, encodeURIComponent(secret), bytes.toString('hex'), ...encoded]))
}

/** A run whose program asks an origin, with a secret of its own, and answers with all that came. */
async function asked(
	host: TestHost,
	account: TestAccount,
	url: string,
	key: string,
	origin: string,
	secret: string,
) {
	const program = `import { agent } from 'berth'
export default agent(async (_, ctx) => JSON.stringify(await ctx.http({ url: '${origin}/' })))
`
	const http = `http: { "${origin}": { methods: [GET], timeout_seconds: 80, headers: { X-Key: '{{secret.marked}}' } } }\n`
	const bundle = await bundleOf({ model: address(url), yaml: http, files: { 'agent.ts': program } })
	const at = await deploy(host, account, bundle, 'asking', key)
	const place = { deployment: at.id, name: 'http:marked', aud: origin }
	const jwe = await seal(at.sealing_key, place, { secret })
	await host.call(`${at.url}/credentials/http:marked`, { method: 'PUT', token: account.token, json: { jwe } })
	return run(host, at)
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
	const line = (unlessGone(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? '').replaceAll('\0', ' ')
	return (
		/dist\/(host|runtime|sandbox)\.mjs/.exec(line)?.[1] ??
		(line.includes('postgres') ? 'postgres' : undefined)
	)
}

const formsOf = (secrets: string[]) =>
	new Map(
		secrets.flatMap((one, i) => [...forms(one)].map(([form, bytes]) => [`${i} ${form}`, bytes] as const)),
	)

function found(parts: Map<string, number[]>, names: string[], ...secrets: string[]): string[] {
	const needles = formsOf(secrets)
	const scanned = new Set<string>()
	return names.flatMap((name) =>
		(parts.get(name) ?? []).flatMap((pid) =>
			scanProcess(pid, needles, scanned).map((form) => `${name} ${pid}: ${form}`),
		),
	)
}

/** Database and everything beside it. */
function inFiles(root: string, ...secrets: string[]): string[] {
	const needles = formsOf(secrets)
	return readdirSync(root, { recursive: true, encoding: 'utf8' })
		.map((path) => join(root, path))
		.filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
		.flatMap((path) => scanFile(path, needles).map((form) => `${path}: ${form}`))
}
