// A run has the defaults of its agent's inputs, and is known by what was sent.
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { canonicalJson, sha256 } from '../../../../bundles/index.ts'
import type { Run, RunPage } from '../../../../host/api/runs.ts'
import { bundleOf, create, deploy, type Running, run, upload } from '../../../kit/agent.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { type ModelServer, startModelServer } from '../../../kit/model-server.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

const yaml = `inputs:
  type: object
  required: [name, lang]
  additionalProperties: false
  properties:
    name: { type: string }
    lang: { type: string, default: en }
    options: { type: object, default: {}, properties: { loud: { type: boolean, default: false } } }
`
const files = { 'prompt.md': 'Greet in {{lang}}.\n' }

let host: TestHost
let models: ModelServer
let account: TestAccount
let agent: Running
let bundle: Uint8Array

beforeAll(async () => {
	models = await startModelServer({ m: { text: 'Hello!' } })
	host = await sharedHost()
	account = await host.account({ plan: 'team' })
	const model = `{ provider: openai, name: m, base_url: "${models.openaiUrl}" }`
	bundle = await bundleOf({ model, yaml, files })
	agent = await deploy(host, account, bundle)
})
afterAll(async () => {
	await host?.close()
	await models?.close()
})

const whole = { name: 'Ada', lang: 'en', options: { loud: false } }

// Proves: bundle.input-defaults
test('defaults are in the stored inputs, in the shown ones, and in what the model reads', async () => {
	const { status, body } = await run(host, agent, { name: 'Ada' })
	expect(status).toBe(200)
	expect(body.inputs).toEqual(whole)
	const list = await host.call<RunPage>(`${agent.url}/runs`, { token: agent.run_key })
	expect(list.body.data[0]?.inputs).toEqual(whole)
	expect(JSON.stringify(models.requests.at(-1))).toContain('Greet in en.')
	const given = await run(host, agent, { name: 'Ada', lang: 'de', options: { loud: true } })
	expect(given.body.inputs).toEqual({ name: 'Ada', lang: 'de', options: { loud: true } })
	const wrong = await run(host, agent, { name: 'Ada', options: { loud: 'very' } })
	expect(wrong).toMatchObject({ status: 422, body: { code: 'inputs_invalid' } })
})

// Proves: input.defaults-in-key
test('an Idempotency-Key compares what was sent', async () => {
	const call = (inputs: object) =>
		host.call<Run & { code: string }>(`${agent.url}/run`, {
			token: agent.run_key,
			json: { inputs },
			headers: { 'idempotency-key': 'once' },
		})
	const first = await call({ name: 'Ada' })
	expect((await call({ name: 'Ada' })).body.id).toBe(first.body.id)
	expect(await call({ name: 'Ada', lang: 'en' })).toMatchObject({
		status: 422,
		body: { code: 'idempotency_key_reused' },
	})
})

test('a schedule need not name what has a default', async () => {
	const made = await host.call<{ inputs: object }>(`/v1/deployments/${agent.id}/schedules`, {
		token: account.token,
		json: { cron: '0 9 * * *', timezone: 'Europe/Berlin', inputs: { name: 'Ada' } },
	})
	expect(made).toMatchObject({ status: 201, body: { inputs: { name: 'Ada' } } })
})

// Proves: bundle.default-fits
test('a bundle made elsewhere whose default does not fit is refused', async () => {
	const forged = withDefault(
		bundle,
		'lang: { type: string, default: en }',
		'lang: { type: string, default: 7 }',
	)
	const answer = await create(host, account, forged, 'forged')
	expect(answer).toMatchObject({ status: 422, body: { code: 'bundle_invalid' } })
	const at = 'agent.yaml#/inputs/properties/lang/default'
	expect((answer.body as unknown as { errors: { path: string }[] }).errors).toEqual([
		{ path: at, message: expect.stringContaining('does not fit its own schema: must be string, is number') },
	])
	const dry = await host.call<{ ok: boolean; faults: { code: string }[] }>('/v1/deployments?dry_run=true', {
		token: account.token,
		body: upload(forged, { name: 'forged' }),
	})
	expect(dry.body).toMatchObject({ ok: false, faults: [{ code: 'bundle_invalid' }] })
})

/** The same bundle with another `agent.yaml`, and a manifest that fits it. */
function withDefault(bytes: Uint8Array, before: string, after: string): Uint8Array {
	const parts = unzipSync(bytes)
	const text = strToU8(strFromU8(parts['agent.yaml'] as Uint8Array).replace(before, after))
	const manifest = JSON.parse(strFromU8(parts['bundle.json'] as Uint8Array))
	manifest.agent.inputs.properties.lang.default = 7
	const entry = manifest.files.find(({ path }: { path: string }) => path === 'agent.yaml')
	Object.assign(entry, { size: text.length, sha256: sha256(text) })
	return zipSync({ ...parts, 'agent.yaml': text, 'bundle.json': strToU8(canonicalJson(manifest)) })
}
