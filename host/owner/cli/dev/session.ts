/** One `berth dev`: private host, model proxy, agents, and their runs. */
import { join, relative, resolve } from 'node:path'
import { type Agent, BundleError, readWorkingTree } from '../../../../bundles/index.ts'
import { freePort } from '../../../lib/free-port.ts'
import type { Client, Credential, Deployment, RunEvent } from '../../client/index.ts'
import { ApiError } from '../../client/index.ts'
import { find } from '../agent-test/find.ts'
import { CommandError, faultLines } from '../failure.ts'
import type { Io } from '../io.ts'
import { devAccount } from './account.ts'
import { buildDev, type DevAgent } from './agent.ts'
import { deployDev, putSecrets } from './deployment.ts'
import { requireKeys } from './keys.ts'
import { type Models, startModels } from './models.ts'
import { type PrivateHost, startPrivateHost } from './private-host.ts'
import { readState, stateFolder } from './state.ts'
import { localAddresses, type Team, teamSecret } from './team.ts'

export interface SessionOptions {
	/** The first is the one that runs. */
	folders: string[]
	record?: string | undefined
	replay?: string | undefined
	/** Environment variables of model keys, by the key's name; `''`: the first model's. */
	keyVariables: ReadonlyMap<string, string>
	/** A secret of the owner's, where there is one. `others`: names of the agents that run here and may be called. */
	secretOf(need: Credential, others: string[]): Promise<Record<string, unknown> | undefined>
	onNote(text: string): void
}

export interface Session {
	client: Client
	/** Signs in to the console, once. */
	link: string
	/** What runs: the newest version that could be built. */
	main(): Deployment
	version(folder: string): number
	/** Builds a folder anew and makes it the newest version. */
	update(folder: string): Promise<void>
	run(inputs: object, signal: AbortSignal): AsyncGenerator<RunEvent>
	/** Rejects when the host ends by itself. */
	broken: Promise<never>
	close(): Promise<void>
}

export async function openSession(io: Io, options: SessionOptions): Promise<Session> {
	const [main = '.'] = options.folders
	const folder = stateFolder(main)
	const state = readState(folder)
	requireKeys(options)
	io.step('Starting a private host …')
	const models = await startModels({ ...options, port: await freePort({ wanted: state.modelPort ?? 0 }) })
	let host: PrivateHost | undefined
	const close = async () => {
		models.close()
		await host?.stop()
	}
	try {
		const built = buildAll(models, options.folders)
		const port = await freePort({ wanted: state.port ?? 0 })
		const moved = state.modelPort !== models.port
		Object.assign(state, { port, modelPort: models.port })
		host = await startPrivateHost({
			folder,
			port,
			egress: [`127.0.0.1:${models.port}`, ...(await loopbackOf(options.folders))],
			onWarning: options.onNote,
		})
		const broken = host.ended.then(() => Promise.reject(new CommandError('the private host has ended')))
		broken.catch(() => undefined)
		const { client, link } = await devAccount(io, host, folder, state)
		const agents = await deployAll(client, models, { ...options, moved }, built)
		return {
			client,
			link,
			close,
			main: () => agents.of(main),
			version: (folder) => agents.of(folder).version,
			update: agents.update,
			run: (inputs, signal) => client.runs.stream(agents.of(main).url, inputs, { signal }),
			broken,
		}
	} catch (error) {
		await close()
		throw error
	}
}

/** Built while the host starts. */
const buildAll = (models: Models, folders: string[]) =>
	new Map(
		folders.map((folder) => {
			const built = buildDev(folder, { models, addresses: () => new Map() })
			built.catch(() => undefined)
			return [folder, built]
		}),
	)

/** Those that are required come first: their addresses are known then. `moved`: the proxy has another port than before. */
async function deployAll(
	client: Client,
	models: Models,
	{ folders, secretOf, moved }: SessionOptions & { moved: boolean },
	built: ReturnType<typeof buildAll>,
) {
	const team: Team = new Map()
	const deployed = new Map<string, Deployment>()
	const secrets = async (need: Credential) =>
		(await teamSecret(client, need, team)) ?? secretOf(need, [...team.keys()])
	const addresses = (agent: Agent) => localAddresses(agent, team)
	for (const folder of [...folders].reverse()) {
		const first = await (built.get(folder) as Promise<DevAgent>)
		const { agent, bundle } =
			addresses(first.agent).size > 0 ? await buildDev(folder, { models, addresses }) : first
		const deployment = await deployDev(client, bundle, agent.name, { secretOf: secrets, moved })
		deployed.set(folder, deployment)
		team.set(agent.name, deployment)
	}
	const of = (folder: string) => deployed.get(folder) as Deployment
	return {
		of,
		async update(folder: string) {
			const { bundle } = await buildDev(folder, { models, addresses })
			const updated = await client.deployments.addVersion(of(folder).id, bundle)
			await putSecrets(client, updated, { secretOf: secrets, moved: false })
			deployed.set(folder, updated)
		},
	}
}

/** Connectors on this machine, which a host does not call unless it is told to. */
async function loopbackOf(folders: string[]): Promise<string[]> {
	const texts = await Promise.all(
		folders.map(
			async (folder) => (await readWorkingTree(folder)).files.get('agent.yaml') ?? new Uint8Array(),
		),
	)
	const urls = texts.flatMap(
		(text) =>
			Buffer.from(text)
				.toString('utf8')
				.match(/https?:\/\/[^\s"'}\],]+/g) ?? [],
	)
	return [
		...new Set(
			urls
				.flatMap((url) => URL.parse(url) ?? [])
				.filter(({ hostname }) => /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname))
				.map(({ host, protocol, port }) => (port ? host : `${host}:${protocol === 'https:' ? 443 : 80}`)),
		),
	]
}

/** The agents of the command line; a folder without an agent.yaml may hold one. */
export function agentFolders(directories: string[]): string[] {
	return directories.map((directory) => {
		const { agents } = find(directory)
		const root = resolve(directory)
		if (agents.includes(root)) return root
		if (agents.length === 0) throw new CommandError(`there is no agent.yaml in ${directory}`)
		const named = agents.map((folder) => join(directory, relative(root, folder))).join(' ')
		throw new CommandError(`${directory} is no agent; it holds several: berth dev ${named}`)
	})
}

/** What a save has broken, in lines for people; undefined: it is no fault of the agent. */
export function faultsOf(error: unknown, folder: string): string[] | undefined {
	const from = relative(process.cwd(), folder)
	if (error instanceof BundleError)
		return error.lines.map((line) => (from && !line.startsWith('there') ? `${from}/${line}` : line))
	if (error instanceof ApiError && error.status > 0 && error.status < 500)
		return faultLines(error.problem as unknown as Parameters<typeof faultLines>[0])
	return undefined
}
