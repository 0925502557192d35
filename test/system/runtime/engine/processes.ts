/** The shipped runtime with its real sandboxes, and a host that is only a journal: for tests through every process. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CompactEncrypt, importJWK } from 'jose'
import { onTestFinished } from 'vitest'
import { openRuntime, type Runtime } from '../../../../runtime/supervisor/start.ts'
import type { Entry } from '../../../../runtime/wire/journal.ts'
import type { RunBegin } from '../../../../runtime/wire/runtime-calls.ts'
import { fakeBudgets } from '../../../kit/engine/fake-budgets.ts'
import { fakeFiles } from '../../../kit/engine/fake-files.ts'
import { bundleOf, FakeHost, type RunEnd } from '../../../kit/engine/fakes.ts'
import { type ModelServer, type Script, startModelServer } from '../../../kit/model-server.ts'

/** Processes start and end within this, on a busy machine too. */

export const KEY = 'sk-marked-0123456789abcdef'

export interface Started {
	runtime: Runtime
	host: FakeHost
	models: ModelServer
	/** Of its bundle. */
	digest: string
	/** The provider's credential, as its owner uploaded it. */
	sealed: { sealing: { kid: string; wrapped: string }; name: string; aud: string; jwe: string }
	/** Sandboxes of the deployment, by process id. */
	sandboxes(): Promise<number[]>
	/** `until`: the run is let go then, as by a host that is slower than its sandbox. */
	begin(changes?: Partial<RunBegin>, until?: Promise<unknown>): Promise<RunEnd>
	/** Says everything again, as a host does when its runtime is back. */
	resume(journal: Entry[], changes?: Partial<RunBegin>): Promise<RunEnd>
}

export function temporary(): string {
	const folder = mkdtempSync(join(tmpdir(), 'berth-runtime-'))
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
	return folder
}

export interface StartOptions {
	scripts?: Record<string, Script>
	/** Lines of agent.yaml after name and model. */
	yaml?: string
	/** `agent.js` among them: the compiled program. */
	files?: Record<string, string>
	egressAllow?: string[]
	/** The only one the provider takes. */
	key?: string
	providerTimeoutMs?: number
	/** Beside the provider's. */
	credentials?: { name: string; aud: string; payload: object }[]
}

export async function start(options: StartOptions): Promise<Started> {
	const { scripts = {}, yaml = '', files, egressAllow = [], credentials = [], key } = options
	const models = await startModelServer(scripts, key === undefined ? {} : { key })
	onTestFinished(() => models.close())
	const dataDir = temporary()
	const host = new FakeHost()
	const { digest, bytes } = bundleOf(
		`name: a\nmodel: { provider: openai, name: m, base_url: "${models.openaiUrl}" }\n${yaml}`,
		files,
	)
	host.bundles.set(digest, bytes)
	const runtime = openRuntime()
	await runtime.start(
		{
			masterKeyFile: join(dataDir, 'master.key'),
			mayGenerate: true,
			egressAllow: [`127.0.0.1:${models.port}`, ...egressAllow],
			providerTimeoutMs: options.providerTimeoutMs ?? 60_000,
			dataDir,
			warmSpares: 0,
			idleStopMs: 10_000,
		},
		{
			calls: {
				'bundle.get': (args) => host.call('bundle.get', args),
				'run.commit': (args) => host.call('run.commit', args),
				'run.end': (args) => host.call('run.end', args),
				...host.memory,
				'approval.get': (args) => host.call('approval.get', args),
				...fakeBudgets(),
				...fakeFiles().calls,
				'credential.lease': (args) => host.call('credential.lease', args),
				'credential.store': (args) => host.call('credential.store', args),
				'credential.release': (args) => host.call('credential.release', args),
				'tools.lock': (args) => host.call('tools.lock', args),
			},
			notes: {
				'credential.state': (args) => host.notify('credential.state', args),
				'run.left': () => undefined,
				'sealing_key.unreadable': (args) => host.notify('sealing_key.unreadable', args),
				log: (args) => host.notify('log', args),
			},
		},
	)
	onTestFinished(() => runtime.close(0))
	const provider = { name: 'provider', aud: models.url, payload: { api_key: KEY } }
	const { sealing, sealed, put } = await deployment(runtime, [provider, ...credentials])
	put()
	const begin = (changes: Partial<RunBegin> = {}, until?: Promise<unknown>) => {
		const run = changes.run ?? 'run_1'
		runtime.notify('run.begin', {
			run,
			deployment: 'dep_1',
			account: 'acc_1',
			digest,
			version: 1,
			epoch: 1,
			attempt: 1,
			inputs: '{"who":"world"}',
			seed: '0'.repeat(32),
			created_at: Date.now(),
			stream: false,
			journal: [],
			go: false,
			...changes,
		})
		const go = () => runtime.notify('run.go', { run })
		if (until) void until.then(go)
		else go()
		return host.ended(run)
	}
	return {
		runtime,
		host,
		models,
		digest,
		sealed: { sealing, name: 'provider', aud: models.url, jwe: sealed[0]?.jwe as string },
		begin,
		async sandboxes() {
			const { sandboxes } = await runtime.call('stats', {})
			return sandboxes.flatMap(({ deployment, pid }) => (deployment === null ? [] : [pid]))
		},
		resume(journal, changes) {
			put()
			return begin({ epoch: 2, attempt: 2, journal, ...changes })
		},
	}
}

async function deployment(runtime: Runtime, credentials: { name: string; aud: string; payload: object }[]) {
	const deployment = 'dep_1'
	const { kid, wrapped, jwk } = await runtime.call('sealing_key.create', { deployment })
	const sealing = { kid, wrapped }
	const key = await importJWK(jwk, 'ECDH-ES')
	const seal = async ({ name, aud, payload }: (typeof credentials)[number]) => {
		const header = { alg: 'ECDH-ES', enc: 'A256GCM', kid, dep: deployment, cred: name, aud }
		const text = Buffer.from(JSON.stringify(payload))
		const jwe = await new CompactEncrypt(text).setProtectedHeader(header as never).encrypt(key)
		await runtime.call('credential.check', { deployment, sealing, name, aud, jwe })
		return { name, version: 1, jwe }
	}
	const sealed = await Promise.all(credentials.map(seal))
	const put = () => runtime.notify('deployment.put', { id: deployment, rev: 1, sealing, credentials: sealed })
	return { sealing, sealed, put }
}

/** As `berth bundle` compiles an `agent.ts`. */
export const program = (body: string) => ({ 'agent.js': `__berth.agent(async (inputs, ctx) => {${body}})` })
/** And a `tools.ts` of the one skill these tests use. */
export const tools = (exports: string) => ({
	'skills/own/SKILL.md': '---\nname: own\ndescription: Tools of this test.\n---\nUse them.\n',
	'skills/own/tools.js': `__berth.tools('own', ${exports})`,
})

/** One that nobody has waited for yet is gone, too: orphans are the init process's to clear away. */
export function isGone(pid: number): boolean {
	try {
		return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.startsWith('Z') === true
	} catch {
		return true
	}
}
