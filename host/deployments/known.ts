import {
	type Agent,
	compileSchema,
	completer,
	keyName,
	PROVIDER,
	type Validate,
	withAddress,
} from '../../bundles/index.ts'
import type { ToolLocks } from '../../runtime/wire/connectors.ts'
import type { DeploymentState, SealedCredential } from '../../runtime/wire/runtime-calls.ts'
import type { DeploymentStateName, Rows, Sql } from '../db/index.ts'
import { Problem } from '../http/errors.ts'
import type { Places } from '../places/index.ts'
import { needsOf } from './needs.ts'
import { keptDays, type RetentionSettings } from './retention.ts'

/**
 * What a run needs to know of its deployment, held in memory, so that a warm run reads nothing. It may be old by as long
 * as NOTIFY takes: whoever acts on it does so under the condition that `rev` is still this one, and refreshes if not.
 */
export interface KnownDeployment {
	id: string
	accountId: string
	name: string
	slug: string
	/** Only hosts of it may run this. */
	place: string
	url: string
	state: DeploymentStateName
	rev: number
	version: number
	digest: string
	agent: Agent
	/** Of its inputs; compiled for the first of them. */
	validate: Validate
	/** Puts in the defaults of its inputs; null: its schema has none. */
	complete: ReturnType<typeof completer>
	/** Why no run may begin though the deployment runs: a credential that is not there. */
	blocked: { code: 'credentials_missing' | 'connector_not_connected'; detail: string } | null
	/** Whose runs count against a budget: all of them, and those of these lineages of run keys. */
	budgeted: { all: boolean; lineages: string[] }
	/** Days that its ended runs are kept; null: for ever. */
	keptDays: number | null
	/** For the runtime; null once erased. */
	runtime: DeploymentState | null
	/** What it takes in memory, about. */
	bytes: number
}

/** Objects take several times the room of their text, and the inputs' schema is there twice more once it is compiled. */
const bytesPerByteOfText = 6
const baseBytes = 2048

type Row = Pick<
	Rows['deployments'],
	'id' | 'account_id' | 'name' | 'place' | 'state' | 'rev' | 'version' | 'sealing_kid' | 'sealing_wrapped'
> &
	Pick<Rows['versions'], 'digest'> & {
		agent: Agent
		agent_bytes: number
		budgeted: boolean
		kept_days: number | null
		budgeted_lineages: string[]
		credentials: Pick<Rows['credentials'], 'name' | 'version' | 'state' | 'jwe'>[]
		locks: ToolLocks
	}

export async function readKnown(
	{ sql, places, config }: { sql: Sql; places: Pick<Places, 'urlOf'>; config: RetentionSettings },
	slug: string,
): Promise<KnownDeployment | null> {
	const [row] = await sql<Row[]>`
		select d.id, d.account_id, d.name, d.place, d.state, d.rev, d.version, d.sealing_kid, d.sealing_wrapped, v.digest, v.agent,
			octet_length(v.agent::text) as agent_bytes,
			d.budgets is not null as budgeted, ${keptDays(sql, config)} as kept_days,
			array(select distinct k.lineage from run_keys k
				where k.deployment_id = d.id and k.budgets is not null) as budgeted_lineages,
			coalesce((select json_agg(json_build_object('name', c.name, 'version', c.version, 'state', c.state, 'jwe', c.jwe))
				from credentials c where c.deployment_id = d.id), '[]') as credentials,
			coalesce((select json_object_agg(l.connector, l.tools) from (select connector, json_object_agg(tool, hash) as tools
				from tool_locks where deployment_id = d.id group by connector) l), '{}') as locks
		from deployments d join versions v on v.deployment_id = d.id and v.version = d.version
		where d.slug = ${slug}`
	if (!row) return null
	const { sealing_kid: kid, sealing_wrapped: wrapped } = row
	const url = places.urlOf({ place: row.place, slug })
	const agent = { ...row.agent, inputs: withAddress(row.agent.inputs, url) }
	const sealed = row.credentials.filter(
		(credential): credential is Row['credentials'][number] & SealedCredential => credential.jwe !== null,
	)
	return {
		id: row.id,
		accountId: row.account_id,
		name: row.name,
		slug,
		place: row.place,
		url,
		state: row.state,
		rev: row.rev,
		version: row.version,
		digest: row.digest,
		agent,
		validate: validator(agent.inputs),
		complete: completer(agent.inputs),
		blocked: blockedBy(agent, row.credentials),
		budgeted: { all: row.budgeted, lineages: row.budgeted_lineages },
		keptDays: row.kept_days,
		runtime:
			kid && wrapped
				? {
						id: row.id,
						rev: row.rev,
						sealing: { kid, wrapped },
						credentials: sealed.map(({ name, version, jwe, state }) => ({
							...{ name, version, jwe },
							failing: state !== 'ready',
						})),
						locks: row.locks,
					}
				: null,
		bytes:
			row.agent_bytes * bytesPerByteOfText + sealed.reduce((sum, { jwe }) => sum + jwe.length, baseBytes),
	}
}

function validator(schema: object): Validate {
	let compiled: Validate | undefined
	return (value, asker) => {
		compiled ??= compileSchema(schema)
		return compiled(value, asker)
	}
}

/** A rejected key does not block: only its provider knows whether it works again. */
function blockedBy(agent: Agent, credentials: { name: string; state: string }[]): KnownDeployment['blocked'] {
	const lacking = needsOf(agent).filter(({ name }) => {
		const state = credentials.find((credential) => credential.name === name)?.state ?? 'missing'
		return state === 'missing' || state === 'needs_sign_in'
	})
	const [key] = lacking.filter(({ kind }) => kind === 'provider')
	if (key) {
		const which =
			key.name === PROVIDER ? 'The provider’s key' : `The key ${keyName(key.name)} for ${key.needed_by}`
		return { code: 'credentials_missing', detail: `${which} is missing: seal and upload it.` }
	}
	const [secret] = lacking.filter(({ kind }) => kind === 'secret')
	if (secret) {
		const detail = `The secret ${secret.name.slice('http:'.length)} for ${secret.needed_by} is missing: seal and upload it as \`${secret.name}\`.`
		return { code: 'credentials_missing', detail }
	}
	const [connector] = lacking
	if (!connector) return null
	return {
		code: 'connector_not_connected',
		detail: `The connector ${connector.needed_by} has no valid sign-in. Its owner connects it with \`berth connect\`; nothing has been spent.`,
	}
}

export function hasBudget({ budgeted }: KnownDeployment, lineage: string | null): boolean {
	return budgeted.all || (lineage !== null && budgeted.lineages.includes(lineage))
}

/** For whoever is about to begin a run with it. */
export function requireUnblocked({ blocked }: KnownDeployment): void {
	if (blocked) throw new Problem(blocked.code, blocked.detail)
}
