import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CredentialList } from '../../../../host/api/credentials.ts'
import type { Deployment, DryRun } from '../../../../host/api/deployments.ts'
import type { ReplayReport } from '../../../../host/api/replay.ts'
import { seal } from '../../../../host/owner/client/index.ts'
import { bundleOf, deploy, type Running, run, until, upload } from '../../../kit/agent.ts'
import { berth } from '../../../kit/berth.ts'
import { startHost, type TestAccount, type TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { runtimeOf } from '../../../kit/pair.ts'
import { type Receiver, startReceiver, status } from '../../../kit/receiver.ts'

// `ctx.http` over real HTTP: secrets sealed by their owner, refusals by name, and a runtime that is killed under it.

const SECRET = 'crm-secret-0123456789'
let host: TestHost
let models: ModelServer
let account: TestAccount
/** With a secret; `pay` is idempotent; nobody has allowed `shut`. */
let [api, pay, shut]: Receiver[] = []
let agent: Running

const originOf = ({ url }: Receiver) => new URL(url).origin
/** Makes the requests of its inputs one after the other; answers with what came, or the code of the refusal. */
const program = `import { agent } from 'berth'
export default agent<{ steps: any[] }>(async ({ steps }, ctx) => {
	const said: any[] = []
	for (const step of steps) {
		try {
			const { status, headers, ...body } = await ctx.http(step)
			said.push({ status, echo: headers['x-echo'], cookie: headers['set-cookie'], ...body })
		} catch (error: any) {
			said.push(error.code)
		}
	}
	return said
})
`
const yaml = (origin = originOf(api as Receiver)) => `inputs: { type: object }
output: { type: array }
http:
  ${origin}:
    methods: [GET, POST]
    headers: { Authorization: 'Bearer {{secret.crm}}' }
    max_response_kb: 64
  ${originOf(pay as Receiver)}: { methods: [POST], idempotent: true }
  ${originOf(shut as Receiver)}: { methods: [GET] }
`
const bundle = (text = yaml()) =>
	bundleOf({
		model: `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }`,
		yaml: text,
		files: { 'agent.ts': program },
	})

beforeAll(async () => {
	models = await startModelServer({ m: { text: 'Hello.' } })
	;[api, pay, shut] = await Promise.all([startReceiver(), startReceiver(), startReceiver()])
	const allowed = [models.port, ...[api, pay].map((one) => new URL(one?.url ?? '').port)]
	host = await startHost({ egressAllow: allowed.map((port) => `127.0.0.1:${port}`) })
	account = await host.account({ plan: 'team' })
	agent = await deploy(host, account, await bundle())
	await put(agent, originOf(api as Receiver))
})
afterAll(async () => {
	await host?.close()
	await Promise.all([models, api, pay, shut].map((one) => one?.close()))
})

const secretAt = (at: Pick<Deployment, 'id' | 'sealing_key'>, aud: string, secret: string) =>
	seal(at.sealing_key, { deployment: at.id, name: 'http:crm', aud }, { secret })
const put = async (at: Running, aud: string, secret = SECRET) =>
	host.call(`${at.url}/credentials/http:crm`, {
		method: 'PUT',
		token: account.token,
		json: { jwe: await secretAt(at, aud, secret) },
	})
const stateOf = async (at: Running) =>
	(await host.call<CredentialList>(`${at.url}/credentials`, { token: account.token })).body.data.find(
		({ name }) => name === 'http:crm',
	)
const asked = async (...steps: object[]) => {
	const { body } = await run(host, agent, { steps })
	return body as { id: string; status: string; output: unknown[]; code: string; usage: object }
}
const json = (value: unknown, headers: Record<string, string> = {}) =>
	status(200, { 'content-type': 'application/json; charset=utf-8', ...headers }, JSON.stringify(value))

describe('its secret', () => {
	// Proves: http.declared, http.secret-sealed
	test('is listed before anything is created, and no run begins without it', async () => {
		const bytes = await bundle()
		const dry = await host.call<DryRun>('/v1/deployments?dry_run=true', {
			token: account.token,
			body: upload(bytes, { name: 'dry' }),
		})
		const origin = originOf(api as Receiver)
		const need = { name: 'http:crm', kind: 'secret', needed_by: origin, aud: origin }
		expect(dry.body).toMatchObject({ ok: true, credentials: [{ name: 'provider' }, need] })
		const agent = await deploy(host, account, bytes)
		const refused = await run(host, agent, { steps: [] })
		expect([refused.status, refused.body.code]).toEqual([409, 'credentials_missing'])
		expect(refused.body.detail).toContain('The secret crm for http://127.0.0.1')
		const elsewhere = await put(agent, 'https://evil.example')
		expect([elsewhere.status, elsewhere.body.code]).toEqual([422, 'credential_rejected'])
		const answer = await put(agent, origin)
		expect(answer.body).toMatchObject({ ...need, state: 'ready', version: 1 })
		expect(answer.text).not.toContain(SECRET)
	})

	// Proves: http.secret-sealed
	test('is sealed by the command line, which names the option where it is missing', async () => {
		const folder = mkdtempSync(join(tmpdir(), 'berth-http-'))
		const file = join(folder, 'a.agent')
		writeFileSync(file, await bundle())
		const env = { BERTH_URL: host.url, BERTH_TOKEN: account.token, KEY: 'sk-test', CRM: SECRET }
		const args = ['deploy', file, '--name', 'by-hand', '--provider-key-env', 'KEY']
		try {
			const lacking = await berth(args, { env })
			expect([lacking.code, lacking.stderr]).toEqual([2, expect.stringContaining('--secret-env crm=VAR')])
			const typo = await berth([...args, '--secret-env', 'crn=CRM'], { env })
			expect([typo.code, typo.stderr]).toEqual([
				2,
				expect.stringContaining('the agent needs --secret-env crm=VAR'),
			])
			const done = await berth([...args, '--secret-env', 'crm=CRM', '--json'], { env })
			expect(done.stderr).not.toContain(SECRET)
			expect(JSON.parse(done.stdout).credentials).toMatchObject([{}, { name: 'http:crm', state: 'ready' }])
			const shown = await berth(['inspect', file], { env })
			expect(shown.stdout).toMatch(/^http +http:\/\/127\.0\.0\.1:\d+ \(GET, POST, secret crm\); /m)
		} finally {
			rmSync(folder, { recursive: true })
		}
	})

	// Proves: http.secret-placed, http.secret-echoed, http.response, http.events
	test('goes out with a request, and comes back nowhere', async () => {
		const [origin, before] = [originOf(api as Receiver), api?.received.length ?? 0]
		api?.answers.push(
			(response, { headers }) =>
				json({ saw: headers.authorization, n: [1] }, { 'x-echo': SECRET, 'set-cookie': 'a=b' })(response),
			(response) => response.end(Buffer.from([0xff, 0x00, 0xfe])),
		)
		const { id, output, usage, status } = await asked(
			{ method: 'POST', url: `${origin}/orders?q=1`, headers: { 'x-mine': 'yes' }, body: { n: [1] } },
			{ url: `${origin}/bytes` },
		)
		expect([status, usage]).toEqual(['succeeded', expect.objectContaining({ http_calls: 2, tool_calls: 0 })])
		const saw = { saw: 'Bearer [redacted]', n: [1] }
		expect(output).toEqual([
			{ status: 200, echo: '[redacted]', text: JSON.stringify(saw), json: saw },
			{ status: 200, text: '', base64: '/wD+' },
		])
		expect(api?.received.slice(before)).toMatchObject([
			{
				method: 'POST',
				path: '/orders?q=1',
				headers: { authorization: `Bearer ${SECRET}`, 'x-mine': 'yes', 'content-type': 'application/json' },
				body: '{"n":[1]}',
			},
			{ method: 'GET', path: '/bytes', body: '' },
		])
		const events = await host.call<string>(`${agent.url}/runs/${id}/events`, { token: account.token })
		const types = events.text.match(/^event: http\..*$/gm)
		expect(types).toEqual([1, 2].flatMap(() => ['event: http.started', 'event: http.completed']))
		expect(events.text).not.toContain(SECRET)
		expect((await stateOf(agent))?.last_used_at).not.toBeNull()

		const replay = await host.call<ReplayReport>(`/v1/runs/${id}/replay`, {
			method: 'POST',
			token: account.token,
		})
		expect(replay.body).toMatchObject({ same: true })
		expect(api?.received).toHaveLength(before + 2)
	})

	// Proves: http.secret-state
	test('is shown as rejected after a 401, until one serves', async () => {
		const url = `${originOf(api as Receiver)}/`
		api?.answers.push(status(401))
		expect((await asked({ url })).output).toMatchObject([{ status: 401 }])
		await until(async () => (await stateOf(agent))?.state === 'rejected')
		expect((await stateOf(agent))?.last_error).toContain('answered 401')
		await asked({ url })
		await until(async () => (await stateOf(agent))?.state === 'ready')
	})

	// Proves: http.secret-anew
	test('is needed anew where a version sends it to another origin', async () => {
		const at = await deploy(host, account, await bundle())
		await put(at, originOf(api as Receiver))
		const other = await bundle(yaml('https://crm.example.com'))
		const added = await host.call<Deployment>(`/v1/deployments/${at.id}/versions`, {
			token: account.token,
			body: upload(other),
		})
		expect(added.body.credentials).toMatchObject([{}, { state: 'missing', aud: 'https://crm.example.com' }])
		expect((await run(host, at, { steps: [] })).body.code).toBe('credentials_missing')
	})
})

describe('a request', () => {
	// Proves: http.refused, http.redirect-refused, http.address-refused, http.bounds, http.secret-named
	test('that is not allowed is refused by name', async () => {
		const [origin, before] = [originOf(api as Receiver), api?.received.length ?? 0]
		api?.answers.push(
			status(307, { location: 'https://evil.example/' }),
			(response) => void response.writeHead(200).end('x'.repeat(64 * 1024 + 1)),
			() => undefined,
			status(200, { 'content-encoding': 'gzip' }, 'no gzip'),
		)
		const { output } = await asked(
			{ url: 'https://other.example.com/' },
			{ url: `${origin}/`, method: 'DELETE' },
			{ url: `${origin}/`, method: 'POST', body: 'x={{secret.crm}}' },
			{ url: originOf(shut as Receiver) },
			{ url: `${origin}/moved` },
			{ url: `${origin}/large` },
			{ url: `${origin}/slow`, timeout_ms: 200 },
			{ url: `${origin}/packed` },
		)
		expect(output).toEqual([
			'http_origin_refused',
			'http_method_refused',
			'http_secret_refused',
			'http_address_refused',
			'http_redirect_refused',
			'http_too_large',
			'http_unavailable',
			'http_unavailable',
		])
		expect(shut?.received).toEqual([])
		expect(api?.received.slice(before).map(({ path }) => path)).toEqual([
			'/moved',
			'/large',
			'/slow',
			'/packed',
		])
	})

	// Proves: http.replayed, http.idempotency-key, http.outcome-unknown
	test('under way as the runtime is killed is made again where that does no harm', async () => {
		const steps = [
			{ url: `${originOf(api as Receiver)}/first` },
			{ url: `${originOf(pay as Receiver)}/pay`, method: 'POST', body: 'now' },
			{ url: `${originOf(api as Receiver)}/order`, method: 'POST', body: { n: 1 } },
		]
		const calm = await asked(...steps)
		expect(calm.output).toHaveLength(3)
		const thanks = status(200, {}, 'thanks')
		for (const [killed, at] of [api, pay, api].entries()) {
			const before = [api, pay].map((one) => one?.received.length ?? 0)
			const now = () => [api, pay].map((one, i) => one?.received.slice(before[i]) ?? [])
			if (killed === 2) at?.answers.push(thanks)
			at?.answers.push(() => process.kill(runtimeOf(host), 'SIGKILL'))
			const shaken = await asked(...steps)
			const [toApi = [], toPay = []] = now()
			if (killed === 2) {
				expect(shaken.code).toBe('outcome_unknown')
				expect([toApi.length, toPay.length]).toEqual([2, 1])
				continue
			}
			expect(shaken.output).toEqual(calm.output)
			const times = (path: string) => [...toApi, ...toPay].filter((one) => one.path === path).length
			expect([times(killed === 0 ? '/first' : '/pay'), times('/order')]).toEqual([2, 1])
			const keys = toPay.map(({ headers }) => headers['idempotency-key'])
			expect(new Set(keys)).toEqual(new Set([`${shaken.id}-2`]))
		}
	})
})
