// A host loads the programs of every bundle that is uploaded: whoever built it may have skipped the build's own checks.
import { strToU8, zipSync } from 'fflate'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { agentSchema, canonicalJson, sha256 } from '../../../../bundles/index.ts'
import type { DryRun } from '../../../../host/api/deployments.ts'
import { bundleOf, create, upload } from '../../../kit/agent.ts'
import { loadFaults, skill } from '../../../kit/broken.ts'
import type { TestAccount, TestHost } from '../../../kit/host.ts'
import { sharedHost } from '../../../kit/shared-host.ts'

let host: TestHost
let account: TestAccount

beforeAll(async () => {
	host = await sharedHost()
	account = await host.account({ plan: 'team' })
})
afterAll(() => host?.close())

interface Refusal {
	code: string
	errors: { path: string; message: string }[]
}

async function dryRun(bundle: Uint8Array, name = 'dry') {
	const body = upload(bundle, { name })
	return host.call<DryRun>('/v1/deployments?dry_run=true', { token: account.token, body })
}

/** What a dry run tells, and that a create tells the same and makes nothing. */
async function faultsOf(bundle: Uint8Array): Promise<string[]> {
	const dry = await dryRun(bundle)
	expect(dry.body).toMatchObject({ ok: false, faults: [{ code: 'bundle_invalid' }] })
	const refused = await create(host, account, bundle, 'wet')
	expect(refused.status).toBe(422)
	const { code, errors } = refused.body as unknown as Refusal
	expect(code).toBe('bundle_invalid')
	expect((dry.body.faults[0] as Refusal).errors).toEqual(errors)
	return errors.map(({ message }) => message)
}

/** A bundle that no build has made. */
function handmade(files: Record<string, string>, agent: object): Uint8Array {
	const all = { 'agent.yaml': JSON.stringify(agent), ...files }
	const manifest = {
		format: 1,
		berth: '0.1.0',
		agent: agentSchema.parse(agent),
		commit: '0'.repeat(40),
		files: Object.entries(all).map(([path, text]) => ({
			path,
			size: Buffer.byteLength(text),
			sha256: sha256(Buffer.from(text)),
		})),
	}
	const entries = { 'bundle.json': canonicalJson(manifest), ...all }
	return zipSync(Object.fromEntries(Object.entries(entries).map(([path, text]) => [path, strToU8(text)])))
}
const small = { name: 'small', model: { provider: 'openai', name: 'm' } }

// Proves: bundle.programs-loaded
test.each(Object.entries(loadFaults))('a host refuses %s', async (_, { files, told }) => {
	expect(await faultsOf(await bundleOf({ files }))).toEqual(told.map((one) => expect.stringMatching(one)))
})

test('a host tells a missing prompt, a schema of an unknown type and a program that fails together', async () => {
	const inputs = { type: 'object', properties: { q: { type: 'strin' } } }
	const files = { 'agent.js': '__berth.agent(null)\n' }
	expect(await faultsOf(handmade(files, { ...small, inputs }))).toEqual([
		expect.stringMatching(/^agent\.yaml:1 \/inputs\/properties\/q\/type: type must be one or several of /),
		expect.stringMatching(/^agent\.yaml:1 \/prompt: there is no file prompt\.md$/),
		'agent.js: the default export is no agent but of type null: write export default agent(…)',
	])
})

// Proves: bundle.programs-loaded
test('a host refuses an import that is still there, and tells all programs that fail', async () => {
	const files = {
		'prompt.md': 'p',
		'agent.js': "import fs from 'node:fs'\n__berth.agent(() => fs)\n",
		'skills/s/SKILL.md': skill('s'),
		'skills/s/tools.js': "__berth.tools('s', { a: { run() {} , description: 1, input: [] } })\n",
		'skills/t/SKILL.md': skill('t'),
		'skills/t/tools.js': "\n\nrequire('node:fs')\n",
	}
	expect(await faultsOf(handmade(files, small))).toEqual([
		expect.stringMatching(
			/^agent\.js:1: fails when it is loaded: Cannot use import statement outside a module/,
		),
		expect.stringMatching(/^skills\/s\/tools\.js \/a\/description: a tool needs a description/),
		expect.stringMatching(/^skills\/s\/tools\.js \/a\/input: a tool needs an input schema/),
		'skills/t/tools.js:3: fails when it is loaded: require is not defined, which an isolate does not have',
	])
})

// Proves: bundle.program-check-safe
test('a program that overthrows its own check is refused, and hurts nobody', async () => {
	const files = {
		'prompt.md': 'p',
		'agent.js':
			'globalThis.__berth.agent = null; JSON.stringify = () => \'[{"kind":7}]\'; Array.prototype.toJSON = () => 7\n',
	}
	expect(await faultsOf(handmade(files, small))).toHaveLength(1)
})

test('an answer stays small, whatever programs say of themselves', async () => {
	const files = {
		'prompt.md': 'p',
		'skills/s/SKILL.md': skill('s'),
		'skills/s/tools.js': `const properties = {}, long = 'x'.repeat(1e4)
for (let i = 0; i < 200; i++) properties[i + long] = { type: long, pattern: '(' + long }
const tools = { many: { description: 'd', input: { properties }, run() {} } }
for (let i = 0; i < 500; i++) tools['t' + i] = { description: long, input: {}, run() {} }
__berth.tools('s', tools)
throw new Error(long)
`,
	}
	const refusals = [
		files,
		{ ...files, 'skills/s/tools.js': files['skills/s/tools.js'].replace(/throw.*/, '') },
	]
	for (const one of refusals) {
		const faults = await faultsOf(handmade(one, small))
		expect(JSON.stringify(faults).length).toBeLessThan(64 * 1024)
	}
})

// Proves: bundle.tools-listed
test('a dry run lists the tools of programs that load', async () => {
	const tools =
		"import { tool } from 'berth'\nconsole.log('loading')\nexport const double = tool({ description: 'Twice.', input: {}, run: () => 1 })\nexport const rate = 5\n"
	const bundle = await bundleOf({ files: { 'skills/s/SKILL.md': skill('s'), 'skills/s/tools.ts': tools } })
	const { body } = await dryRun(bundle)
	expect(body).toMatchObject({ ok: true, tools: [{ name: 'double', skill: 's', description: 'Twice.' }] })
	expect((await create(host, account, bundle, 'fine')).status).toBe(201)
})
