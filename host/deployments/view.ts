import { type Agent, webSearches } from '../../bundles/index.ts'
import type { Credential } from '../api/credentials.ts'
import type { Agent as AgentView, Deployment } from '../api/deployments.ts'
import type { Places } from '../places/index.ts'
import { needsOf } from './needs.ts'
import { type CredentialRow, type DeploymentRow, iso } from './store.ts'

// Rows as the API shows them.

export function viewDeployment(places: Pick<Places, 'urlOf'>, row: DeploymentRow): Deployment {
	return {
		id: row.id,
		name: row.name,
		url: places.urlOf(row),
		place: row.place,
		place_alive: row.place_alive,
		state: row.state as Deployment['state'],
		state_reason: row.state_reason,
		state_since: iso(row.state_since),
		version: row.version,
		agent: viewAgent(row.agent, row.digest, row.commit),
		sealing_key: row.sealing_jwk ?? {},
		credentials: viewCredentials(row.agent, row.credentials),
		run_key_issued_at: iso(row.run_key_issued_at),
		budgets: row.budgets,
		retain_days: row.retain_days,
		created_at: iso(row.created_at),
	}
}

export function viewAgent(agent: Agent, digest: string, commit: string): AgentView {
	return {
		name: agent.name,
		description: agent.description || null,
		digest,
		commit,
		inputs: agent.inputs,
		output: agent.output ?? null,
		model: agent.model,
		models: agent.models ?? {},
		limits: agent.limits as Record<string, number>,
		requires: agent.requires,
		http: agent.http ?? {},
		web_search: webSearches(agent),
	}
}

/** Those the active version needs; what an older one needed is kept, and not shown. */
export function viewCredentials(agent: Agent, rows: CredentialRow[]): Credential[] {
	return needsOf(agent).flatMap(({ name, needed_by }) => {
		const row = rows.find((candidate) => candidate.name === name)
		if (!row) return []
		const { kind, aud, version, last_error, scope, missing_scope } = row
		// Its owner is to sign in again; runs go on with what it allows.
		const state = row.state === 'ready' && missing_scope !== null ? 'needs_sign_in' : row.state
		const times = { updated_at: iso(row.updated_at), last_used_at: iso(row.last_used_at) }
		return [{ name, kind, needed_by, aud, state, version, ...times, last_error, scope, missing_scope }]
	})
}
