/**
 * A corpus of hostile bundles, programs, requests and messages, by family, each with its expected
 * code. Whatever is sent, the host's process and its runtime stay, nothing is logged as an error, and a neighbour's
 * runs succeed all the while. `BERTH_CORPUS=long` sends each case ten times at once, and those too that take long.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundleOf, deploy, type Running, run, upload } from '../kit/agent.ts'
import { startHost, type TestAccount, type TestHost } from '../kit/host.ts'
import { type ModelServer, startModelServer } from '../kit/model-server.ts'
import { register, tokensFor } from '../kit/oauth-clients.ts'
import { insideAddresses } from './corpus/addresses.ts'
import { hostileBundles } from './corpus/bundles.ts'
import { hostileMessages, refusedRedirects, takenRedirects } from './corpus/guard.ts'
import { hostilePrograms } from './corpus/programs.ts'
import { hostileRequests } from './corpus/requests.ts'
import { sendRaw } from './send.ts'

const long = process.env.BERTH_CORPUS === 'long'
const times = long ? 10 : 1
const repeated = <T>(send: () => Promise<T>) => Promise.all(Array.from({ length: times }, send))

let host: TestHost
let models: ModelServer
let attacker: TestAccount
let owner: TestAccount
let neighbour: Running
let puppet: Running
let processes: number[]

const inputs = (name: string) =>
	`inputs: { type: object, required: [${name}], additionalProperties: false, properties: { ${name}: { type: string } } }\n`
/** Runs the text it is given, so that one deployment serves all programs. */
const puppetProgram = `import { agent } from 'berth'
const Body = (async () => {}).constructor as new (...names: string[]) => (inputs: unknown, ctx: unknown) => Promise<unknown>
export default agent(async (inputs: { program: string }, ctx) => new Body('inputs', 'ctx', inputs.program)(inputs, ctx))
`

beforeAll(async () => {
	models = await startModelServer({ m: { text: 'Hello.' } })
	host = await startHost({
		egressAllow: [`127.0.0.1:${models.port}`],
		env: { GUARD_ACCESS: 'everyone' },
	})
	attacker = await host.account({ plan: 'team' })
	owner = await host.account({ plan: 'team' })
	const model = `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }`
	neighbour = await deploy(host, owner, await bundleOf({ model, yaml: inputs('name') }))
	const files = { 'agent.ts': puppetProgram }
	puppet = await deploy(host, attacker, await bundleOf({ model, yaml: inputs('program'), files }))
	expect((await run(host, neighbour, { name: 'Ada' })).status).toBe(200)
	processes = host.processes().slice(0, 2)
})
afterAll(async () => {
	const stayed = host.processes().slice(0, 2)
	await host.close()
	await models.close()
	expect(stayed).toEqual(processes)
	expect(host.logs().filter((line) => /"level":(50|60)/.test(line))).toEqual([])
})

/** The attack, and a neighbour's run beside it, which must not notice. */
async function beside<T>(attack: () => Promise<T>): Promise<T[]> {
	const [answers, calm] = await Promise.all([repeated(attack), run(host, neighbour, { name: 'Ada' })])
	expect(calm.body).toMatchObject({ status: 'succeeded', output: 'Hello.' })
	return answers
}

// Proves: error.hostile-corpus
test('the corpus holds over a hundred cases', () => {
	const cases = [
		hostileBundles,
		hostilePrograms,
		hostileRequests,
		hostileMessages,
		insideAddresses,
		refusedRedirects,
	]
	expect(cases.reduce((sum, { length }) => sum + length, 0)).toBeGreaterThan(200)
	const names = [...hostileBundles, ...hostilePrograms, ...hostileRequests].map(({ name }) => name)
	expect(new Set(names).size).toBe(names.length)
})

describe('a hostile bundle', () => {
	// Proves: error.hostile-corpus
	test.each(hostileBundles)('is refused: $name', async ({ bytes }) => {
		const bundle = bytes()
		const answers = await beside(() =>
			host.call('/v1/deployments', {
				token: attacker.token,
				body: upload(bundle, { name: 'hostile' }),
			}),
		)
		for (const { status, body } of answers) {
			if (times > 1 && status === 429) continue
			expect(body).toMatchObject({ status: 422, code: 'bundle_invalid' })
			expect(JSON.stringify(body).length).toBeLessThan(64 * 1024)
		}
	})

	test('leaves nothing behind', async () => {
		const { body } = await host.call<{ data: { id: string }[] }>('/v1/deployments', { token: attacker.token })
		expect(body.data.map(({ id }) => id)).toEqual([puppet.id])
	})
})

describe('a hostile program', () => {
	// Proves: error.hostile-corpus
	test.each(hostilePrograms.filter(({ slow }) => long || !slow))(
		'ends with its code: $name',
		async ({ body: program, ends, output }) => {
			for (const { body } of await beside(() => run(host, puppet, { program }))) {
				expect(ends).toContain(body.code ?? (body.status === 'succeeded' ? 'ok' : body.status))
				if (output !== undefined) expect(body.output).toEqual(output)
			}
		},
		// A loop has 10 s of CPU, which may be a long time of the wall.
		90_000,
	)
})

describe('a hostile request', () => {
	// Proves: error.hostile-corpus
	test.each(hostileRequests)('is answered below 500: $name', async ({ head, body, status, code }) => {
		const filled = head.map((line) =>
			line
				.replace('{token}', attacker.token)
				.replace('{run_key}', puppet.run_key)
				.replace('{slug}', new URL(puppet.url).pathname.slice(3)),
		)
		for (const answer of await beside(() => sendRaw(host.url, filled, body))) {
			expect(status).toContain(answer.status)
			if (code) expect(JSON.parse(answer.text)).toMatchObject({ code })
			expect(answer.text).not.toMatch(/node:internal|\.ts:\d|\.mjs:\d|select .* from|ECONN/i)
		}
	})
})

describe('an address inside', () => {
	// Proves: egress.not-public-refused
	test.each(insideAddresses)('is not reached by a webhook, a model or a connector: %s', async (address) => {
		const target = `http://${address}:${models.port + 1}`
		const hook = await host.call(`/v1/deployments/${puppet.id}/endpoints`, {
			token: attacker.token,
			json: { url: `${target}/hook` },
		})
		if (hook.status === 201) {
			const ping = await host.call(`/v1/deployments/${puppet.id}/endpoints/${hook.body.id}/ping`, {
				token: attacker.token,
				method: 'POST',
			})
			expect(JSON.stringify(ping.body)).not.toMatch(/"response_status":[1-5]/)
			await host.call(`/v1/deployments/${puppet.id}/endpoints/${hook.body.id}`, {
				token: attacker.token,
				method: 'DELETE',
			})
		} else expect([400, 422]).toContain(hook.status)
	})
})

describe('the guard', () => {
	// Proves: guard-oauth.redirects-refused
	test.each(refusedRedirects)('registers no client that answers to %j', async (uri) => {
		await expect(register(host.url, { redirect_uris: [uri] })).rejects.toThrow(/registration: 400/)
	})

	// Proves: guard-oauth.redirects-taken
	test.each(takenRedirects)('registers a client that answers to %j', async (uri) => {
		expect(
			await register(host.url, { redirect_uris: [uri], application_type: 'native' }).catch(() =>
				register(host.url, { redirect_uris: [uri] }),
			),
		).toHaveProperty('client_id')
	})

	test.each(hostileMessages)('answers a message without a result and below 500: %s', async (_name, body) => {
		const { access_token } = await guardTokens()
		const answers = await beside(() =>
			host.call('/mcp', {
				token: access_token,
				body,
				headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
			}),
		)
		for (const { status, text } of answers) {
			expect(status).toBeLessThan(500)
			expect(text).not.toMatch(/"ok":\s*true/)
			expect(text).not.toMatch(/node:internal|\.ts:\d|\.mjs:\d/)
		}
	})

	let tokens: ReturnType<typeof tokensFor> | undefined
	function guardTokens() {
		tokens ??= (async () => {
			const password = 'a long enough password'
			const { email } = await host.account({ password })
			return tokensFor(host.url, { email, password })
		})()
		return tokens
	}
})

describe('a stranger', () => {
	// Proves: deployment.other-account-404
	test('finds nothing of another account at any address of the API', async () => {
		const { body } = await host.call<{ paths: Record<string, Record<string, unknown>> }>('/openapi.json')
		const slug = new URL(neighbour.url).pathname.slice(3)
		const { body: made } = await run(host, neighbour, { name: 'Ada' })
		const found: string[] = []
		let asked = 0
		for (const [path, methods] of Object.entries(body.paths)) {
			if (!/\{(id|slug|run)\}/.test(path) || path.startsWith('/v1/admin')) continue
			const filled = path
				.replace('{id}', path.startsWith('/v1/runs') ? made.id : neighbour.id)
				.replace('{slug}', slug)
				.replace('{run}', made.id)
				.replace(/\{path\}/, 'notes.md')
				.replace(/\{\w+\}/g, 'x')
			for (const method of Object.keys(methods)) {
				for (const token of [attacker.token, puppet.run_key]) {
					asked++
					const { status } = await host.call(filled, { method: method.toUpperCase(), token })
					if (status < 400 || status >= 500) found.push(`${method} ${path} ${status}`)
				}
			}
		}
		expect(found).toEqual([])
		expect(asked).toBeGreaterThan(60)
		expect((await run(host, neighbour, { name: 'Ada' })).status).toBe(200)
	})
})
