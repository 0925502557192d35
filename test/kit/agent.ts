import { createHash } from 'node:crypto'
import { pino } from 'pino'
import postgres from 'postgres'
import { buildFrom } from '../../bundles/index.ts'
import type { CreatedDeployment, StartedDeployment } from '../../host/api/deployments.ts'
import { type Database, openDatabase } from '../../host/db/index.ts'
import { parseDatabaseUrl } from '../../host/db/url.ts'
import { seal } from '../../host/owner/client/index.ts'
import type { Answer, TestAccount, TestHost } from './host.ts'

// Agents made, deployed and called the way an owner does it: over HTTP, with sealed keys.

export interface AgentFiles {
	/** Members of `agent.yaml` beside name and model, as YAML. */
	yaml?: string
	model?: string
	files?: Record<string, string>
}

const built = new Map<string, Promise<Uint8Array>>()

/** The bytes of a bundle, built once for the same files. `model`: the value of `model` in YAML. */
export async function bundleOf(agent: AgentFiles): Promise<Uint8Array> {
	const key = JSON.stringify(agent)
	const bytes = built.get(key) ?? build(agent)
	built.set(key, bytes)
	return (await bytes).slice()
}

/** As from a commit: how one is read is tested with the command line. Three calls of git took 30 ms. */
async function build({ yaml = '', model, files = {} }: AgentFiles): Promise<Uint8Array> {
	const all = {
		'agent.yaml': `name: greeter\nmodel: ${model ?? '{ provider: openai, name: m }'}\n${yaml}`,
		'prompt.md': 'Greet people.\n',
		...files,
	}
	const commit = createHash('sha1').update(JSON.stringify(all)).digest('hex')
	const bytes = new Map(Object.entries(all).map(([path, text]) => [path, Buffer.from(text)]))
	return (await buildFrom({ commit, files: bytes, leftOut: [] })).bytes
}

export function upload(bundle: Uint8Array, fields: Record<string, string> = {}): FormData {
	const form = new FormData()
	for (const [name, value] of Object.entries(fields)) form.set(name, value)
	form.set('bundle', new Blob([bundle.slice()]), 'agent.agent')
	return form
}

export const create = (host: TestHost, { token }: TestAccount, bundle: Uint8Array, name: string) =>
	host.call<CreatedDeployment>('/v1/deployments', { token, body: upload(bundle, { name }) })

/** Seals `apiKey` as the provider's and uploads it. */
export async function putProviderKey(
	host: TestHost,
	deployment: CreatedDeployment,
	token: string,
	apiKey = 'sk-test',
): Promise<Answer> {
	const aud = deployment.credentials.find(({ name }) => name === 'provider')?.aud ?? ''
	const jwe = await seal(
		deployment.sealing_key,
		{ deployment: deployment.id, name: 'provider', aud },
		{ api_key: apiKey },
	)
	return host.call(`${deployment.url}/credentials/provider`, { method: 'PUT', token, json: { jwe } })
}

export type Running = StartedDeployment & { run_key: string }

/** Created, its key uploaded, started. */
export async function deploy(
	host: TestHost,
	account: TestAccount,
	bundle: Uint8Array,
	name = `agent-${Math.random().toString(36).slice(2, 10)}`,
	apiKey?: string,
): Promise<Running> {
	const created = await create(host, account, bundle, name)
	if (created.status !== 201) throw new Error(`create: ${created.text}`)
	const put = await putProviderKey(host, created.body, account.token, apiKey)
	if (put.status !== 200) throw new Error(`credential: ${put.text}`)
	const started = await host.call<Running>(`/v1/deployments/${created.body.id}/start`, {
		method: 'POST',
		token: account.token,
	})
	if (started.status !== 200) throw new Error(`start: ${started.text}`)
	return started.body
}

/** `POST {deployment_url}/run`. */
export const run = (
	host: TestHost,
	at: Running,
	inputs: unknown = {},
	headers: Record<string, string> = {},
	token = at.run_key,
) =>
	host.call<Record<string, unknown> & { id: string; status: unknown }>(`${at.url}/run`, {
		token,
		json: { inputs },
		headers,
	})

/** A time-out, no promise of the product: long enough for a machine that does much else. */
const patienceMs = 60_000

/** Until it holds, or the test has waited too long. */
export async function until<T>(look: () => Promise<T | false | null | undefined>): Promise<T> {
	// A look takes 3 to 10 ms of CPU here, at the host and in the database, which what is awaited needs as well.
	let delayMs = 10
	for (const end = Date.now() + patienceMs; ; delayMs = Math.min(delayMs * 1.3, 100)) {
		const found = await look()
		if (found) return found
		if (Date.now() > end) throw new Error(`it did not happen within ${patienceMs} ms`)
		await new Promise((resolve) => setTimeout(resolve, delayMs))
	}
}

const silent = pino({ level: 'silent' })
const urlOf = (host: TestHost) =>
	host.databaseUrl ?? `postgres://app@/postgres?host=${host.dataDir}/postgres/socket`

/** For the product's own functions, beside the host. */
export async function withDatabase<T>(host: TestHost, use: (database: Database) => Promise<T>): Promise<T> {
	const database = await openDatabase({ DATA_DIR: '', DATABASE_URL: urlOf(host) }, silent, () => {})
	return use(database).finally(database.close)
}

/** The host's own database, for what no address shows. */
export async function withSql<T>(host: TestHost, use: (sql: postgres.Sql) => Promise<T>): Promise<T> {
	const url = urlOf(host)
	const sql =
		clients.get(url) ?? postgres({ ...parseDatabaseUrl(url), max: 4, idle_timeout: 1, onnotice: () => {} })
	clients.set(url, sql)
	return use(sql)
}

/** Kept while somebody asks: a connection costs 15 ms of CPU, and what is awaited is asked for again and again. */
const clients = new Map<string, postgres.Sql>()
