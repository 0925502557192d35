import { zipSync } from 'fflate'
import { canonicalJson, isModelKey, type Manifest, parseAgent, sha256 } from '../../../bundles/index.ts'
import type { Egress } from '../../../runtime/egress/index.ts'
import {
	type ConnectorCallOptions,
	type Connectors,
	createSignIns,
	type RemoteTool,
	type ToolReply,
} from '../../../runtime/process/connectors/index.ts'
import { createEngine, type Engine, type Services } from '../../../runtime/process/engine/index.ts'
import { type Credentials, Secret } from '../../../runtime/process/keys/index.ts'
import type { ModelRequest, ModelResult } from '../../../runtime/process/providers/index.ts'
import type { Decision, HostCalls, HostNotes } from '../../../runtime/wire/host-calls.ts'
import type { Entry, RunOutcome, Usage } from '../../../runtime/wire/journal.ts'
import { PeerError } from '../../../runtime/wire/peer.ts'
import type { RunBegin } from '../../../runtime/wire/runtime-calls.ts'
import { fakeMemory } from './fake-memory.ts'
import { type FakeSandboxes, fakeSandboxes, type Program } from './fake-sandboxes.ts'

export type { Guest, Program } from './fake-sandboxes.ts'

export interface RunEnd {
	/** All that this host was given of the run, whenever it was committed. */
	entries: Entry[]
	outcome: RunOutcome
	usage: Usage
}

/** Keeps what is committed, as the database would. */
export class FakeHost {
	readonly bundles = new Map<string, Uint8Array>()
	readonly commits: Entry[][] = []
	memory = fakeMemory()
	/** By the approval's id. */
	readonly decisions = new Map<string, Decision>()
	readonly notes: { [M in keyof HostNotes]: [M, HostNotes[M]] }[keyof HostNotes][] = []
	/** Thrown at the next commits or ends, one each. */
	readonly failures: (string | undefined)[] = []
	/** Called before a commit is answered. */
	onCommit: (entries: Entry[]) => Promise<void> | void = () => undefined
	#journals = new Map<string, Entry[]>()
	#ends = new Map<string, PromiseWithResolvers<RunEnd>>()

	get journal(): Entry[] {
		return this.commits.flat()
	}
	ended(run = 'run_1'): Promise<RunEnd> {
		const end = this.#ends.get(run) ?? Promise.withResolvers<RunEnd>()
		this.#ends.set(run, end)
		return end.promise
	}
	notify<M extends keyof HostNotes>(method: M, args: HostNotes[M]): void {
		this.notes.push([method, args] as never)
	}
	async call(method: keyof HostCalls, args: unknown): Promise<never> {
		if (method === 'bundle.get') {
			const bytes = this.bundles.get((args as { digest: string }).digest)
			if (!bytes) throw new PeerError('not_found', 'no such bundle')
			return bytes as never
		}
		if (method === 'approval.get')
			return { decision: this.decisions.get((args as { id: string }).id) ?? null } as never
		if (method.startsWith('memory.')) return this.memory[method as 'memory.read'](args as never) as never
		if (method === 'tools.lock') return lockAll(args as Parameters<HostCalls['tools.lock']>[0]) as never
		if (method === 'credential.lease') return { status: 'yours' } as never
		if (method === 'credential.release') return { credential: null } as never
		if (method === 'credential.store')
			return storeAs(args as Parameters<HostCalls['credential.store']>[0]) as never
		const { run, entries } = structuredClone(args) as RunEnd & { run: string }
		await this.onCommit(entries)
		const failure = this.failures.shift()
		if (failure) throw new PeerError(failure, failure)
		this.commits.push(entries)
		const all = [...(this.#journals.get(run) ?? []), ...entries]
		this.#journals.set(run, all)
		if (method === 'run.end') {
			void this.ended(run)
			this.#ends.get(run)?.resolve({ ...(structuredClone(args) as RunEnd), entries: all })
		}
		return {} as never
	}
}

const lockAll = ({ tools }: Parameters<HostCalls['tools.lock']>[0]) => ({
	locks: Object.fromEntries(tools.map(({ name, hash }) => [name, hash])),
})
const storeAs = ({ name, version, jwe }: Parameters<HostCalls['credential.store']>[0]) => ({
	credential: { name, version: version + 1, jwe },
})

export interface FakeConnectors extends Connectors {
	calls: { tool: string; input: unknown }[]
	reply: (
		tool: string,
		input: unknown,
		signal: AbortSignal,
		options: ConnectorCallOptions,
	) => Promise<ToolReply> | ToolReply
}

export function fakeConnectors(tools: Partial<RemoteTool>[]): FakeConnectors {
	const offered = tools.map((tool) => ({
		name: 'tool',
		description: 'a tool',
		input: { type: 'object', properties: { q: { type: 'string' } } },
		readOnly: false,
		idempotent: false,
		needsTask: false,
		agent: false,
		hash: 'sha256:0',
		plainHash: 'sha256:plain',
		schemaHash: 'sha256:0',
		...tool,
	}))
	const fake: FakeConnectors = {
		calls: [],
		reply: (tool, input) => ({ ok: true, output: `${tool} says ${JSON.stringify(input)}` }),
		async list(target, wanted) {
			await target.token?.()
			return {
				tools: offered.filter(({ name }) => wanted.includes(name)),
				missing: wanted.filter((name) => !offered.some((tool) => tool.name === name)),
			}
		},
		async call(target, tool, input, options) {
			await target.token?.()
			fake.calls.push({ tool, input })
			return fake.reply(tool, input, options.signal, options)
		},
		drop: () => undefined,
		close: async () => undefined,
	}
	return fake
}

/** A bundle of these files, as `berth bundle` would write it. */
export function bundleOf(
	yaml: string,
	files: Record<string, string> = {},
): { digest: string; bytes: Uint8Array } {
	const { agent, faults } = parseAgent(yaml)
	if (!agent || faults.length > 0) throw new Error(JSON.stringify(faults))
	const all = { 'agent.yaml': yaml, 'prompt.md': 'Help.', ...files }
	const parts = Object.entries(all).map(([path, text]) => [path, Buffer.from(text)] as const)
	const listed = parts.map(([path, bytes]) => ({ path, size: bytes.length, sha256: sha256(bytes) }))
	const manifest: Manifest = { format: 1, berth: '0.1.0', agent, commit: '0'.repeat(40), files: listed }
	const json = Buffer.from(canonicalJson(manifest))
	return { digest: sha256(json), bytes: zipSync({ 'bundle.json': json, ...Object.fromEntries(parts) }) }
}

export const answer = (content: string, changes: Partial<ModelResult> = {}): ModelResult => ({
	message: { role: 'assistant', content },
	stop: 'end',
	usage: { input_tokens: 10, cached_input_tokens: 2, output_tokens: 5 },
	model: 'm-2026',
	...changes,
})

export interface World {
	engine: Engine
	host: FakeHost
	sandboxes: FakeSandboxes
	connectors: FakeConnectors
	/** Requests the fake provider got. */
	requests: ModelRequest[]
	begin(changes?: Partial<RunBegin>): Promise<RunEnd>
}

export interface WorldOptions {
	program: Program
	yaml?: string
	files?: Record<string, string>
	model?: Services['callModel']
	tools?: Partial<RemoteTool>[]
	/** Credentials that are not there. */
	missing?: string[]
	host?: FakeHost
	services?: Partial<Services>
}

/** No time passes, so nothing is written for having waited. */
export const still = { date: () => 600_000 }

export const YAML = 'name: a\nmodel: { provider: openai, name: m, base_url: "http://127.0.0.1:1/v1" }\n'
export const CONNECTOR = 'http://tools.example.com/mcp'
export const withTools = (names: string, settings = '', auth = 'none') =>
	`${YAML}requires:\n  - { connector: "${CONNECTOR}", scopes: [], auth: ${auth}, kind: connector, tools: [${names}] }\n${settings}`

/** An engine between fakes, with one deployment. */
export function world({
	program,
	yaml = YAML,
	files,
	model,
	tools,
	missing,
	host,
	services,
}: WorldOptions): World {
	const { digest, bytes } = bundleOf(yaml, files)
	const fake = host ?? new FakeHost()
	fake.bundles.set(digest, bytes)
	const sandboxes = fakeSandboxes(program)
	const connectors = fakeConnectors(tools ?? [])
	const requests: ModelRequest[] = []
	const credentials = fakeCredentials(missing ?? [])
	const egress = {} as Egress
	const engine = createEngine({
		sandboxes,
		connectors,
		credentials,
		signIns: createSignIns({ credentials, egress, host: fake, now: Date.now }),
		egress,
		host: fake,
		providerTimeoutMs: 1000,
		providerCallMs: 60_000,
		connectorCeilingMs: 60_000,
		questionMs: 60_000,
		guardUrl: undefined,
		ownAgents: undefined,
		ceilings: {},
		now: () => performance.now(),
		date: Date.now,
		embed: async ({ model, texts }) => ({
			vectors: texts.map((text) => [text.length]),
			usage: { input_tokens: 10, cached_input_tokens: 0, output_tokens: 0 },
			model,
		}),
		...services,
		callModel(request, context) {
			requests.push(request)
			return model ? model(request, context) : Promise.resolve(answer('hello'))
		},
	})
	const begin = (changes: Partial<RunBegin> = {}) => {
		engine.begin({
			run: 'run_1',
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
			go: true,
			...changes,
		})
		return fake.ended(changes.run)
	}
	return { engine, host: fake, sandboxes, connectors, requests, begin }
}

function fakeCredentials(missing: string[]): Credentials {
	const locks: Record<string, string> = {}
	return {
		put: () => undefined,
		drop: () => undefined,
		knows: () => true,
		unreadable: () => undefined,
		fails: () => false,
		version: (_, name) => (missing.includes(name) ? 0 : 1),
		replace: () => undefined,
		seal: async () => '',
		locks: () => locks,
		setLocks: (_, __, next) => void Object.assign(locks, next),
		async open(_, name) {
			const secret = new Secret(`sk-${name}`)
			const payload = isModelKey(name)
				? ({ kind: 'provider', apiKey: secret } as const)
				: name.startsWith('http:')
					? ({ kind: 'secret', secret } as const)
					: ({ kind: 'bearer', token: secret } as const)
			return { name, version: 1, payload, secrets: [secret.reveal()] }
		},
	}
}
