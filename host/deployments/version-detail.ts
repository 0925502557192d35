import { type Agent, connectorKey, toolKey } from '../../bundles/index.ts'
import type { VersionDetail } from '../api/versions.ts'
import { notFound } from '../http/errors.ts'
import type { LifecycleParts } from './parts.ts'
import { iso, ownDeployment } from './store.ts'
import { readStored, type StoredBundle } from './upload.ts'

/** What a version is, from its stored bundle. */
export async function readVersion(
	{ sql, places, versions }: Pick<LifecycleParts, 'sql' | 'places' | 'versions'>,
	accountId: string,
	id: string,
	version: number,
): Promise<VersionDetail> {
	const deployment = await ownDeployment(sql, accountId, id)
	const [row] = await sql<
		{ digest: string; commit: string; agent: Agent; created_at: Date; bytes: Buffer }[]
	>`
		select v.digest, v.commit, v.agent, v.created_at, b.bytes
		from versions v join bundles b on b.digest = v.digest
		where v.deployment_id = ${id} and v.version = ${version}`
	if (!row) throw notFound('There is no such version.')
	const { digest, commit, agent } = row
	return {
		version,
		active: version === deployment.version,
		created_at: iso(row.created_at),
		digest,
		commit,
		...viewOf(agent, await readStored(row.bytes, accountId)),
		unfit_schedules: await versions.unfitSchedules({ id, url: places.urlOf(deployment) }, agent),
	}
}

function viewOf(
	agent: Agent,
	{ prompt, skills, files }: StoredBundle,
): Omit<VersionDetail, 'version' | 'active' | 'created_at' | 'digest' | 'commit' | 'unfit_schedules'> {
	const { provider, name: model, ...options } = agent.model
	return {
		name: agent.name,
		description: agent.description || null,
		model: { provider, name: model, options },
		models: agent.models ?? {},
		prompt: { path: agent.prompt, text: prompt },
		inputs: agent.inputs,
		output: agent.output ?? null,
		connectors: connectorsOf(agent),
		tools: agent.tools,
		http: agent.http ?? {},
		limits: agent.limits as Record<string, number>,
		skills,
		files,
	}
}

/** Each with its settings, which may name it by its URL or by its short name. */
function connectorsOf({ requires, tools, connectors = {} }: Agent): VersionDetail['connectors'] {
	const toolSettings = Object.entries(tools).map(([key, settings]) => ({ ...toolKey(key), settings }))
	return requires.map(({ connector, auth, scopes, tools: names }) => {
		const key = connectorKey(connector)
		const own = Object.entries(connectors).find(([name]) => connectorKey(name) === key)?.[1]
		return {
			connector,
			auth,
			scopes,
			tools: names.map((name) => {
				const found = toolSettings.find((one) => one.connector === key && one.tool === name)?.settings ?? {}
				const { approval, screen = false, idempotent = false } = found
				return { name, approval: approval === 'required', screen, idempotent }
			}),
			settings: own ?? {},
		}
	})
}
