import { parseDocument } from 'yaml'
import {
	type Agent,
	type BuiltBundle,
	BundleError,
	buildFrom,
	type ChosenModel,
	keyName,
	modelChains,
	modelLists,
	PROVIDER,
	parseAgent,
	readWorkingTree,
} from '../../../../bundles/index.ts'
import { writeTypes } from '../agent-test/write-types.ts'
import type { Models, Upstream } from './models.ts'

/** An agent of the working tree, as it is given to the private host. */
export interface DevAgent {
	bundle: BuiltBundle
	/** As its agent.yaml has it. */
	agent: Agent
}

/** Of its model calls, and of the agents beside it. */
export interface Surroundings {
	models: Models
	/** Address of a connector, and what stands in its place here. */
	addresses(agent: Agent): Map<string, string>
}

/** Reads, changes the addresses, builds. Faults have the lines of the files as they are. */
export async function buildDev(folder: string, around: Surroundings): Promise<DevAgent> {
	const tree = await readWorkingTree(folder)
	const text = Buffer.from(tree.files.get('agent.yaml') ?? []).toString('utf8')
	const { agent, faults } = parseAgent(text)
	if (!agent || faults.length > 0) {
		// With those of the other files.
		await buildFrom(tree)
		throw new BundleError(faults)
	}
	writeTypes(folder, tree.files)
	const files = new Map(tree.files).set('agent.yaml', Buffer.from(rewritten(text, agent, around)))
	return { agent, bundle: await buildFrom({ ...tree, files }) }
}

function rewritten(text: string, agent: Agent, { models, addresses }: Surroundings): string {
	const document = parseDocument(text)
	const { written } = modelLists(document.toJS())
	for (const chosen of [...modelChains(agent).values()].flat()) {
		const { model, path } = chosen
		const id = upstreamId(agent.name, chosen)
		models.upstreams.set(id, upstreamOf(model, process.env, keyVariable(chosen, models)))
		const set = (member: string, value: unknown) => document.setIn([...written(path), member], value)
		set('base_url', models.baseUrl(id))
		if (model.provider !== 'openai') continue
		const { OPENAI_BASE_URL, OPENAI_MODEL } = process.env
		const local = model.base_url ?? OPENAI_BASE_URL
		set('api', models.replayed(id) ?? model.api ?? (local ? 'chat' : 'responses'))
		const replaced = path[0] === 'model' && !model.base_url && OPENAI_BASE_URL
		if (replaced && OPENAI_MODEL) set('name', OPENAI_MODEL)
	}
	let changed = document.toString()
	for (const [from, to] of addresses(agent)) changed = changed.replaceAll(from, to)
	return changed
}

/** `writer`, `writer~models.deep`, `writer~model.fallbacks.0` */
function upstreamId(agent: string, { path }: ChosenModel): string {
	return path.length === 1 ? agent : `${agent}~${path.join('.')}`
}

/** Of a key, as it stands on the command line; the bare one is for the first model's. */
export const keyNameOf = ({ credential }: ChosenModel): string =>
	credential === PROVIDER ? '' : keyName(credential)

function keyVariable(chosen: ChosenModel, { keyVariables }: Models): string | undefined {
	return keyVariables.get(keyNameOf(chosen))
}

/**
 * The address in agent.yaml counts before `OPENAI_BASE_URL`. The key of the environment goes to the provider itself and to
 * `OPENAI_BASE_URL`; to an address that only agent.yaml names, one goes that the owner names (`keyVariable`).
 */
export function upstreamOf(
	model: ChosenModel['model'],
	env: NodeJS.ProcessEnv,
	keyVariable?: string,
): Upstream {
	const { provider, base_url: own } = model
	const local = own ?? (provider === 'openai' ? env.OPENAI_BASE_URL || undefined : undefined)
	const variable = keyVariable ?? (provider === 'anthropic' ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY')
	const key = own === undefined || keyVariable !== undefined ? env[variable] || undefined : undefined
	const url = (local ?? official[provider]).replace(/\/+$/, '')
	return {
		provider,
		url: provider === 'anthropic' ? url.replace(/\/v1$/, '') : url,
		// A server of one's own may need none.
		key: key ?? (local ? 'none' : undefined),
		missing: missing(variable),
	}
}

const official = { openai: 'https://api.openai.com/v1', anthropic: 'https://api.anthropic.com' }

const missing = (variable: string) =>
	`${variable} is not set. Set it, or start a model server and set OPENAI_BASE_URL, or use --replay FILE`
